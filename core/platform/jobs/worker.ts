import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type { Scope } from "effect/Scope"
import {
  type Atomic,
  type Caller,
  crashPoint,
  isCausedByReadOnlyData,
  isCausedByUnavailableData,
  timestampOf
} from "../kernel/index.js"
import type { Handler } from "./handler.js"
import { defaultMaxAttempts, type Lease, type Recurring } from "./model.js"
import { ageMs, type ClaimedJob, confirm, type Ended, perform } from "./perform.js"
import { type DueKind, JobStore } from "./store.js"

/** Options of a worker; times in milliseconds. */
export interface WorkerOptions<R = never> {
  /** Unique name of the worker and its process. */
  readonly owner: string
  /** Default 30,000. */
  readonly leaseMs?: number
  /** Default 10,000; a third of the lease, so that two missed heartbeats do no harm. */
  readonly beatMs?: number
  /** Without a heartbeat for this long the worker stops its jobs; default 20,000, less than the lease. */
  readonly giveUpMs?: number
  /** Default 5,000. */
  readonly sweepMs?: number
  /** Default 60,000; also the interval for pruning finished jobs. */
  readonly reconcileMs?: number
  /** How long a shutdown waits for handlers to stop; default 10,000. */
  readonly graceMs?: number
  /** Enqueues missing work; runs at the start and then regularly. */
  readonly reconcile?: Effect.Effect<void, never, R>
  /** Recurring jobs; default: none. */
  readonly recurring?: ReadonlyArray<Recurring>
  /** Interval for checking recurring jobs, with the first check after one interval; default 5,000. */
  readonly recurMs?: number
  /** Minimum number of concurrent jobs per kind; default: the handlers' slots. */
  readonly slotsMin?: number
  /** Called for each finished attempt. */
  readonly onEnd?: (ended: Ended) => Effect.Effect<void>
  /** Retention of succeeded jobs (default 7 days) and dead jobs (default 30 days). */
  readonly keepSucceededMs?: number
  readonly keepDeadMs?: number
}

const dayMs = 86_400_000
const defaults = {
  leaseMs: 30_000,
  beatMs: 10_000,
  giveUpMs: 20_000,
  sweepMs: 5_000,
  reconcileMs: 60_000,
  graceMs: 10_000,
  reconcile: Effect.void,
  recurring: [],
  recurMs: 5_000,
  slotsMin: 1,
  onEnd: (): Effect.Effect<void> => Effect.void,
  keepSucceededMs: 7 * dayMs,
  keepDeadMs: 30 * dayMs
}
const defaultSlots = 2
/** Interval for storing progress and checking leases. */
const pulseMs = 1_000
/** Fallback interval for looking at the queue, in case a signal was lost. */
const idleMaxMs = 30_000
const pruneMax = 1_000
/** Number of kinds claimed concurrently. */
const claimsAtOnce = 4

/** State shared by the fibers of one worker. */
interface Worker {
  readonly store: JobStore["Type"]
  readonly options: Required<WorkerOptions>
  readonly held: Set<ClaimedJob>
  /** Signals a free slot or a change of the queue. */
  readonly freed: Queue.Queue<void>
}

/**
 * Works on the queue until the scope closes; then stops claiming, interrupts running jobs and returns them without
 * counting the attempt. Queue errors are logged and retried, never thrown.
 *
 * @throws RangeError (a defect) when two handlers have the same kind.
 */
export const startWorker = <R, H = never>(
  handlers: ReadonlyArray<Handler<R>>,
  options: WorkerOptions<H>
): Effect.Effect<void, never, Exclude<Exclude<R, Atomic>, Caller> | H | JobStore | Atomic | Scope> =>
  Effect.gen(function* () {
    if (new Set(handlers.map((handler) => handler.kind)).size < handlers.length) {
      return yield* Effect.die(new RangeError("Two handlers are of one kind."))
    }
    const { reconcile = Effect.void, ...times } = options
    const worker: Worker = {
      store: yield* JobStore,
      options: { ...defaults, ...times },
      held: new Set(),
      freed: yield* Queue.sliding<void>(1)
    }
    yield* Effect.addFinalizer(() => handBack(worker))
    yield* Effect.forkScoped(pulses(worker))
    yield* Effect.forkScoped(every(worker.options.sweepMs, "sweep", sweep(worker)))
    yield* Effect.forkScoped(
      every(worker.options.reconcileMs, "reconcile", Effect.zipRight(reconcile, prune(worker)))
    )
    const { recurMs, recurring } = worker.options
    // Delayed, so that a process that opens a workspace briefly leaves recurring jobs to long-lived ones.
    if (recurring.length > 0)
      yield* Effect.forkScoped(
        Effect.delay(every(recurMs, "recurring work", worker.store.recur(recurring)), recurMs)
      )
    yield* Effect.forkScoped(dispatch(worker, handlers))
  })

/** State of the queue as the worker last read it. */
interface Known {
  kinds: Map<string, DueKind>
  /** Whether there may be more work than known. */
  isStale: boolean
  /** When a scheduled job becomes due, or the fallback interval ends. */
  nextAtMs: number
}

/**
 * Claims jobs whenever there may be work and a free slot. The queue is read only after a change; in a long queue a
 * freed slot leads directly to the next claim.
 */
const dispatch = <R>(worker: Worker, handlers: ReadonlyArray<Handler<R>>) =>
  Effect.gen(function* () {
    const changed = yield* worker.store.watchDue
    const known: Known = { kinds: new Map(), isStale: true, nextAtMs: 0 }
    const onChange = Effect.flatMap(changed, () => {
      known.isStale = true
      return Queue.offer(worker.freed, undefined)
    })
    yield* Effect.forkScoped(Effect.forever(onChange))
    const round = Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      const looks = known.isStale || nowMs >= known.nextAtMs
      if (looks && (yield* readDueKinds(worker, known, nowMs)) === 0) return yield* worker.store.promote
      const claimCounts = yield* Effect.forEach(handlers, (handler) => claimJobs(worker, handler, known), {
        concurrency: claimsAtOnce
      })
      // An empty claim with known work may mean that another worker held the rows for a moment.
      if (claimCounts.some((count) => count > 0) || (known.isStale && !looks)) return
      const idleMs = known.nextAtMs - (yield* Clock.currentTimeMillis)
      yield* Effect.raceFirst(Queue.take(worker.freed), Effect.sleep(Math.max(1, idleMs)))
    })
    return yield* Effect.forever(
      Effect.catchAllCause(round, (cause) => {
        known.isStale = true
        return Effect.zipRight(logError("dispatch", cause), Effect.sleep(pulseMs))
      })
    )
  }).pipe(Effect.scoped)

/** Reads which kinds are due; returns the milliseconds until a scheduled job must be promoted. */
const readDueKinds = (worker: Worker, known: Known, nowMs: number) =>
  Effect.gen(function* () {
    // Set before reading, so that a concurrent change causes another read.
    known.isStale = false
    const { kinds, nextMs } = yield* worker.store.due
    const idleMs = Math.min(
      Option.getOrElse(nextMs, () => idleMaxMs),
      idleMaxMs
    )
    known.kinds = new Map(kinds.map((one) => [one.kind, one]))
    known.nextAtMs = nowMs + idleMs
    return idleMs
  })

/** Claims jobs of a kind up to its free slots; returns their number. */
const claimJobs = <R>(worker: Worker, handler: Handler<R>, known: Known) => {
  const due = known.kinds.get(handler.kind)
  const slots = Math.max(handler.slots ?? defaultSlots, worker.options.slotsMin)
  // One slot more than a single workspace may use, so that a new workspace never waits for a busy one.
  const places = slots + 1
  const runningJobs = [...worker.held]
    .map(({ lease }) => lease.job)
    .filter(({ kind }) => kind === handler.kind)
  const limit = places - runningJobs.length
  // Skip the claim if the only waiting workspace is at its limit.
  const isFull = () =>
    due?.first === due?.last &&
    runningJobs.filter(({ workspaceId }) => workspaceId === due?.first).length >= slots
  if (due === undefined || limit <= 0 || isFull()) return Effect.succeed(0)
  return Effect.gen(function* () {
    const leases = yield* worker.store.claim({
      kind: handler.kind,
      limit,
      // One slot in four is reserved for other workspaces as soon as some wait.
      workspaceMax: Math.max(1, Math.floor((slots * 3) / 4)),
      loneMax: slots,
      maxAttempts: handler.maxAttempts ?? defaultMaxAttempts,
      owner: worker.options.owner,
      leaseMs: worker.options.leaseMs
    })
    // A single workspace may use all slots but one; a short result means that nothing more is claimable.
    if (leases.length < Math.max(1, limit - 1)) {
      known.kinds.delete(handler.kind)
      known.isStale = true
    }
    if (leases.length > 0) yield* crashPoint("job.claim.afterTransaction")
    yield* Effect.forEach(leases, (lease) => begin(worker, handler, lease), { discard: true })
    return leases.length
    // Uninterruptible, so that no claimed job is lost before it starts.
  }).pipe(Effect.uninterruptible)
}

const begin = <R>(worker: Worker, handler: Handler<R>, lease: Lease) =>
  Effect.gen(function* () {
    const confirmedAt = yield* Clock.currentTimeNanos
    const claimedJob: ClaimedJob = {
      lease,
      confirmedAt,
      units: 0,
      progress: null,
      stopped: null,
      fiber: Option.none()
    }
    worker.held.add(claimedJob)
    const end = Effect.zipRight(
      Effect.sync(() => worker.held.delete(claimedJob)),
      Queue.offer(worker.freed, undefined)
    )
    const done = perform(worker.store, handler, claimedJob, worker.options)
    claimedJob.fiber = Option.some(yield* Effect.forkDaemon(Effect.ensuring(done, end)))
  })

/** Every second: stores progress, extends leases that are due, and stops jobs with lost leases. */
const pulses = (worker: Worker) => {
  const { beatMs, giveUpMs } = worker.options
  let beating: Fiber.RuntimeFiber<void> | null = null
  const pulse = Effect.gen(function* () {
    const started = yield* Clock.currentTimeNanos
    const live = [...worker.held].filter((held) => held.stopped === null)
    const due = live.some(({ confirmedAt }) => ageMs(confirmedAt, started) >= beatMs)
      ? live
      : live.filter((held) => held.progress !== null)
    if (due.length > 0 && (beating === null || beating.unsafePoll() !== null))
      beating = yield* Effect.fork(beat(worker, due, started))
    // A heartbeat that takes longer goes on, and counts when it comes through.
    if (beating !== null) yield* Effect.timeoutOption(Fiber.await(beating), beatMs / 2)
    const now = yield* Clock.currentTimeNanos
    for (const held of live)
      if (held.units === 0 && ageMs(held.confirmedAt, now) >= giveUpMs) yield* stopLostJob(held)
  })
  return every(pulseMs, "pulse", pulse)
}

/** Extends leases and stores progress. It has a timeout, so that a hanging connection does not keep the next ones away. */
const beat = ({ options, store }: Worker, due: ReadonlyArray<ClaimedJob>, started: bigint) =>
  Effect.gen(function* () {
    const beats = due.map(({ lease, progress }) => ({ lease, progress }))
    const kept = new Set(yield* store.beat(beats, options.leaseMs))
    for (const [index, held] of due.entries()) {
      if (held.progress === beats[index]?.progress) held.progress = null
      if (kept.has(held.lease.job.id)) confirm(held, started)
      else yield* stopLostJob(held)
    }
  }).pipe(
    Effect.disconnect,
    Effect.timeout(options.giveUpMs),
    Effect.catchAllCause((cause) => Effect.logWarning("Jobs: no heartbeat.", cause))
  )

/** Stops a handler whose lease is lost, without waiting for it; the fence blocks its writes. */
const stopLostJob = (held: ClaimedJob) =>
  Effect.suspend(() => {
    if (held.stopped !== null) return Effect.void
    held.stopped = "lost"
    return Option.match(held.fiber, { onNone: () => Effect.void, onSome: Fiber.interruptFork })
  })

/**
 * Stops running jobs and returns them to the queue. A handler that does not stop in time loses its lease, so nothing
 * is stored late.
 */
const handBack = (worker: Worker) =>
  Effect.gen(function* () {
    for (const held of worker.held) held.stopped ??= "shutdown"
    const fibers = [...worker.held].flatMap((held) => Option.toArray(held.fiber))
    // Forked, because the fiber that closes the scope can be neither interrupted nor given a timeout here.
    const stopped = yield* Fiber.interruptAll(fibers).pipe(
      Effect.disconnect,
      Effect.timeoutOption(worker.options.graceMs),
      Effect.interruptible,
      Effect.forkDaemon
    )
    yield* Fiber.join(stopped)
    const left = [...worker.held].filter((held) => held.stopped === "shutdown")
    yield* Effect.forEach(left, (held) => worker.store.release(held.lease), { discard: true })
  }).pipe(Effect.catchAllCause((cause) => Effect.logWarning("Jobs: could not hand jobs back.", cause)))

const sweep = ({ held, options, store }: Worker) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeNanos
    // After a stall of this process, its heartbeats come before a sweep that would take its own jobs back.
    const isBehind = [...held].some(
      ({ confirmedAt, stopped }) => stopped === null && ageMs(confirmedAt, now) >= options.giveUpMs
    )
    if (!isBehind && (yield* store.sweep) > 0) yield* crashPoint("job.sweep.afterTransaction")
  })

const prune = (worker: Worker) =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
    worker.store.prune(
      {
        succeeded: timestampOf(nowMs - worker.options.keepSucceededMs),
        dead: timestampOf(nowMs - worker.options.keepDeadMs)
      },
      pruneMax
    )
  )

/** Logs errors of work that is retried later. */
const logError = (what: string, cause: Cause.Cause<never>): Effect.Effect<void> => {
  if (isCausedByReadOnlyData(cause)) return Effect.void
  return isCausedByUnavailableData(cause)
    ? Effect.logWarning(
        `Jobs: no ${what}, since the database cannot be reached. It is tried again until it can.`
      )
    : Effect.logError(`Jobs: ${what} failed.`, cause)
}

/** Runs work at an interval; errors are logged. */
const every = <A, R>(intervalMs: number, what: string, work: Effect.Effect<A, never, R>) =>
  Effect.forever(
    Effect.zipRight(
      Effect.catchAllCause(work, (cause) => logError(what, cause)),
      Effect.sleep(intervalMs)
    )
  )
