import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Atomic, atomically, Caller, crashPoint, now, type WorkspaceScope } from "../kernel/index.js"
import type { Job, NewJob } from "./model.js"
import { originNow } from "./origin.js"
import { JobStore, type QueueDepth } from "./store.js"

/** Writes jobs in the caller's unit of work (else in one of their own) and gives them in the order asked. */
export const enqueue = (
  jobs: ReadonlyArray<NewJob>
): Effect.Effect<ReadonlyArray<Job>, never, JobStore | Atomic | Caller> =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const store = yield* JobStore
    const origin = yield* originNow
    const asked = origin === null ? jobs : jobs.map((job) => ({ ...job, origin }))
    return yield* atomically(
      Effect.zipLeft(store.enqueue(workspace, asked), crashPoint("job.enqueue.insideTransaction"))
    )
  })

/** A kind of job that is owed whenever something is announced. */
export interface Listener {
  readonly kind: string
  /**
   * Which announcements share one waiting job: all of the workspace, whatever their topic (for one who follows a feed:
   * equal jobs never run at once, in no process), those of a topic about one subject, or none.
   */
  readonly dedupe: "workspace" | "subject" | "none"
  readonly priority?: number
  /** Milliseconds to wait for more announcements; 0 by default. */
  readonly delayMs?: number
}

/** Who listens to which topic; made once, where the rooms are wired. */
export class Listeners extends Context.Tag("kanon/Listeners")<
  Listeners,
  Readonly<Record<string, ReadonlyArray<Listener>>>
>() {}

/**
 * Tells in the caller's unit of work that something happened: one job for each listener of the topic, each with
 * this payload. Nobody listening is no fault. With `delayMs` the jobs are due later, unless asked for sooner.
 */
export const announce = (
  topic: string,
  payload: Readonly<Record<string, unknown>>,
  { delayMs, subjectId }: { readonly subjectId?: string; readonly delayMs?: number } = {}
): Effect.Effect<ReadonlyArray<Job>, never, JobStore | Listeners | Atomic | Caller> =>
  Effect.flatMap(Listeners, (listeners) =>
    enqueue(
      (listeners[topic] ?? []).map(({ dedupe, ...listener }) => ({
        ...listener,
        payload,
        ...(subjectId === undefined ? {} : { subjectId }),
        ...(delayMs === undefined ? {} : { delayMs }),
        ...(dedupe === "none"
          ? {}
          : { dedupeKey: dedupe === "workspace" ? listener.kind : `${topic}:${subjectId ?? ""}` })
      }))
    )
  )

/** Whether a job of the caller's workspace waits for a later moment. */
export const someRest: Effect.Effect<boolean, never, JobStore | Caller> = Effect.gen(function* () {
  const { workspace } = yield* Caller
  const { total } = yield* (yield* JobStore).list(workspace, { limit: 1, offset: 0 }, { status: "scheduled" })
  return total > 0
})

/** What is left to do, and what runs, each time the queue moved. */
export interface Remaining extends QueueDepth {
  readonly jobs: ReadonlyArray<Job>
}

/** Most running jobs that one look shows. */
const shownMax = 200

/**
 * Work leads to work three deep at most: an import to its settling, that to extraction, that to ranks. One more for a
 * job that ended because its equal does its work.
 */
const generationsMax = 5

/**
 * Waits until the jobs of the workspace (of these kinds, or of any) that wait or run, and those that they lead to, have
 * ended, whoever runs them, and gives those that died meanwhile, at most 200, the newest first. What others ask for
 * meanwhile is not waited for, so it ends beside people who never stop writing. Never fails; never ends while nobody
 * works.
 *
 * @param options.onChange Called with each look at the queue, for a bar of progress.
 */
export const drain = (
  workspace: WorkspaceScope,
  options: {
    readonly kinds?: ReadonlyArray<string>
    readonly onChange?: (remaining: Remaining) => Effect.Effect<void>
    /** Jobs that died from this moment on are given; the moment of the call by default. */
    readonly since?: string
  } = {}
): Effect.Effect<ReadonlyArray<Job>, never, JobStore> =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const { kinds, onChange = () => Effect.void, since = yield* now } = options
    const ofKinds = (job: Job) => kinds === undefined || kinds.includes(job.kind)
    const page = { limit: shownMax, offset: 0 }
    const changed = yield* store.watch
    for (let generation = 0; generation < generationsMax; generation++) {
      // Whatever a job leads to is in the queue before it has ended.
      const newest = yield* store.newestOpen(workspace, kinds)
      if (Option.isNone(newest)) break
      for (;;) {
        const depth = yield* store.depth(workspace, kinds, newest.value)
        if (depth.waiting === 0 && depth.running === 0) break
        const running = yield* store.list(workspace, page, { status: "running" })
        yield* onChange({ ...depth, jobs: running.items.filter(ofKinds) })
        yield* changed
      }
    }
    const dead = yield* store.list(workspace, page, { status: "dead" })
    return dead.items.filter((job) => ofKinds(job) && job.finishedAt !== null && job.finishedAt >= since)
  }).pipe(Effect.scoped)
