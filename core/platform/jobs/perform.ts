import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { RuntimeFiber } from "effect/Fiber"
import type { Option } from "effect/Option"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import { Atomic, Caller, countEvent, crashPoint, scopeOf } from "../kernel/index.js"
import { type Handler, type JobFailed, type JobTools, LeaseLost } from "./handler.js"
import type { Job, JobProgress, Lease } from "./model.js"
import { linksOf } from "./origin.js"
import { backoffMs, outcomeOf } from "./retry.js"
import type { JobStore } from "./store.js"

/** A job claimed by this worker. */
export interface ClaimedJob {
  readonly lease: Lease
  /** When the lease was last confirmed, as a monotonic time in nanoseconds. */
  confirmedAt: bigint
  /** Units of work in which the row of the job is locked, so that nobody can take it over. */
  units: number
  /** Progress that is not stored yet. */
  progress: JobProgress | null
  /** Why the handler is being stopped: the lease may be lost, or the worker shuts down. */
  stopped: "lost" | "shutdown" | null
  fiber: Option<RuntimeFiber<void>>
}

/** Milliseconds from one monotonic time to another. */
export const ageMs = (from: bigint, to: bigint): number => Number((to - from) / 1_000_000n)

/** Notes that the lease was extended at a moment. */
export const confirm = (held: ClaimedJob, at: bigint): void => {
  if (at > held.confirmedAt) held.confirmedAt = at
}

/** Result of one attempt. */
export interface Ended {
  readonly job: Job
  /**
   * `retried`: it failed and will run again; `dead`: it will not; `handed_back` and `lost`: another worker continues.
   */
  readonly outcome: "succeeded" | "retried" | "dead" | "handed_back" | "lost"
  readonly error: string | null
  readonly durationMs: number
}

interface PerformOptions {
  readonly leaseMs: number
  /** Age at which a lease is extended. */
  readonly beatMs: number
  readonly onEnd: (ended: Ended) => Effect.Effect<void>
}

/** Runs the handler and stores the outcome. Only the handler can be interrupted. */
export const perform = <R>(
  store: JobStore["Type"],
  handler: Handler<R>,
  held: ClaimedJob,
  { beatMs, leaseMs, onEnd }: PerformOptions
) =>
  Effect.gen(function* () {
    const atomic = yield* Atomic
    const started = yield* Clock.currentTimeNanos
    const { job } = held.lease
    const fence = Effect.gen(function* () {
      const at = yield* Clock.currentTimeNanos
      if (!(yield* store.fence(held.lease, leaseMs))) yield* Effect.die(new LeaseLost({ jobId: job.id }))
      return at
    })
    const fenced: JobTools["fenced"] = (work) =>
      Effect.suspend(() => {
        let confirmedAt = held.confirmedAt
        const inside = Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(restore(fence), (begunAt) => {
            held.units += 1
            confirmedAt = begunAt
            const whole = Effect.tap(work, () =>
              Effect.gen(function* () {
                // A long unit leaves a fresh lease behind, since no heartbeat could extend it meanwhile.
                if (ageMs(begunAt, yield* Clock.currentTimeNanos) >= beatMs) confirmedAt = yield* fence
              })
            )
            const end = Effect.sync(() => {
              held.units -= 1
            })
            return Effect.ensuring(restore(whole), end)
          })
        )
        return Effect.tap(atomic.run(inside), () => Effect.sync(() => confirm(held, confirmedAt)))
      })
    const progress: JobTools["progress"] = (latest) =>
      Effect.sync(() => {
        held.progress = latest
      })
    const exit = yield* Effect.suspend(() => handler.run(job, { progress, fenced })).pipe(
      Effect.provideService(Atomic, { run: fenced }),
      Effect.provideService(Caller, {
        workspace: scopeOf(job.workspaceId),
        actor: "system",
        activity: `${job.kind}:${job.id}`
      }),
      Effect.withSpan(`jobs.${job.kind}`, {
        root: true,
        kind: "consumer",
        links: linksOf(job.origin),
        attributes: {
          "kanon.workspace": job.workspaceId,
          "kanon.job_id": job.id,
          "kanon.job_attempt": job.attempt
        },
        captureStackTrace: false
      }),
      Effect.interruptible,
      Effect.exit
    )
    yield* crashPoint("job.work.afterWork")
    const end = yield* settle(store, held, exit)
    yield* crashPoint("job.end.afterTransaction")
    const durationMs = Number((yield* Clock.currentTimeNanos) - started) / 1e6
    yield* countEvent("kanon_jobs_total", { kind: job.kind, outcome: end.outcome })
    yield* onEnd({ ...end, job, durationMs })
  }).pipe(Effect.uninterruptible)

type End = Pick<Ended, "outcome" | "error">

const settle = (store: JobStore["Type"], held: ClaimedJob, exit: Exit.Exit<void, JobFailed>) =>
  Effect.gen(function* () {
    const { lease } = held
    const outcome = outcomeOf(exit)
    if (held.stopped === "lost" || outcome._tag === "Lost") return ended("lost")
    if (outcome._tag === "Done") {
      yield* retryStore(store.succeed(lease, held.progress))
      return ended("succeeded")
    }
    if (outcome._tag === "Interrupted" && held.stopped === "shutdown") {
      yield* retryStore(store.release(lease))
      return ended("handed_back")
    }
    const failure = outcome._tag === "Interrupted" ? selfInterrupted : outcome
    if (failure.defect && Exit.isFailure(exit))
      yield* Effect.logError(`Jobs: ${lease.job.kind} broke off.`, exit.cause)
    const again = failure.retryable && lease.job.attempt < lease.job.maxAttempts
    const chance = yield* Random.next
    yield* retryStore(store.fail(lease, failure.message, again ? backoffMs(lease.job.attempt, chance) : null))
    return ended(again ? "retried" : "dead", failure.message)
  })

const ended = (outcome: Ended["outcome"], error: string | null = null): End => ({ outcome, error })

/** Retries a few times when the database is unreachable; after that the lease expires and the job runs again. */
const retryStore = (told: Effect.Effect<boolean>) =>
  told.pipe(
    Effect.asVoid,
    Effect.catchAllDefect(Effect.fail),
    Effect.retry(Schedule.exponential(100).pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(6)))),
    Effect.catchAll((error) => Effect.logError("Jobs: the end of a job could not be stored.", error))
  )

/** A handler that interrupted itself counts as failed; otherwise the job could repeat for ever. */
const selfInterrupted = { message: "The job interrupted itself.", retryable: true, defect: false }
