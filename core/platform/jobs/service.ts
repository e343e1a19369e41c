import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import {
  type Atomic,
  atomically,
  Caller,
  crashPoint,
  now,
  Storage,
  type WorkspaceScope
} from "../kernel/index.js"
import type { Job, NewJob } from "./model.js"
import { originNow } from "./origin.js"
import { JobStore, type QueueDepth } from "./store.js"

/** Enqueues jobs in the caller's unit of work (or one of their own) and returns them in the given order. */
export const enqueue = (
  jobs: ReadonlyArray<NewJob>
): Effect.Effect<ReadonlyArray<Job>, never, JobStore | Atomic | Caller> =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const store = yield* JobStore
    const origin = yield* originNow
    const newJobs = origin === null ? jobs : jobs.map((job) => ({ ...job, origin }))
    return yield* atomically(
      Effect.zipLeft(store.enqueue(workspace, newJobs), crashPoint("job.enqueue.insideTransaction"))
    )
  })

/** A kind of job that is enqueued for every announcement of a topic. */
export interface Listener {
  readonly kind: string
  /**
   * Announcements that share one waiting job. `workspace`: all of the workspace, whatever the topic (for followers of a
   * feed, as equal jobs never run concurrently); `subject`: those of a topic about one subject; `none`: none.
   */
  readonly dedupe: "workspace" | "subject" | "none"
  readonly priority?: number
  /** Delay in milliseconds to collect further announcements; default 0. */
  readonly delayMs?: number
}

/** Listeners by topic, configured in the wiring. */
export class Listeners extends Context.Tag("kanon/Listeners")<
  Listeners,
  Readonly<Record<string, ReadonlyArray<Listener>>>
>() {}

/**
 * Announces an event in the caller's unit of work: enqueues one job with this payload for each listener of the topic.
 * With `delayMs` the jobs are due later unless requested sooner.
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

/** Returns whether a job of the caller's workspace is scheduled for later. */
export const someRest: Effect.Effect<boolean, never, JobStore | Caller> = Effect.gen(function* () {
  const { workspace } = yield* Caller
  const { total } = yield* (yield* JobStore).list(workspace, { limit: 1, offset: 0 }, { status: "scheduled" })
  return total > 0
})

/** Pending and running work, reported with each change of the queue. */
export interface Remaining extends QueueDepth {
  readonly jobs: ReadonlyArray<Job>
}

/** Maximum number of running jobs in a report. */
const shownMax = 200

/** Follow-up kinds by kind; missing kinds have none. */
export type LeadsTo = Readonly<Record<string, ReadonlyArray<string>>>

/** Maximum depth of follow-up jobs that are waited for. */
const generationsMax = 8

/**
 * Waits until the pending and running jobs of the workspace (of these kinds, or of any) and their follow-up jobs have
 * ended, in whatever process, and returns those that died meanwhile, at most 200, newest first. Later requests of
 * others are not waited for, so it ends even under constant writes. Never fails; never ends without a worker.
 *
 * @param options.leadsTo Default: no follow-up jobs.
 * @param options.onChange Called with each look at the queue, for a progress bar.
 */
export const drain = (
  workspace: WorkspaceScope,
  options: {
    readonly kinds?: ReadonlyArray<string>
    readonly leadsTo?: LeadsTo
    readonly onChange?: (remaining: Remaining) => Effect.Effect<void>
    /** Start of the period for reported deaths; default: now. */
    readonly since?: string
  } = {}
): Effect.Effect<ReadonlyArray<Job>, never, JobStore> =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const { kinds, leadsTo = {}, onChange = () => Effect.void, since = yield* now } = options
    const page = { limit: shownMax, offset: 0 }
    const ended = (status: "dead" | "cancelled", from: string, ofKinds: (kind: string) => boolean) =>
      Effect.map(store.list(workspace, page, { status }), ({ items }) =>
        items.filter(({ finishedAt, kind }) => ofKinds(kind) && finishedAt !== null && finishedAt >= from)
      )
    const waitedFor = new Set(kinds)
    const changed = yield* store.watch
    let inspectedKinds = kinds
    for (let generation = 0; generation < generationsMax; generation++) {
      const from = yield* now
      const newest = yield* store.newestOpen(workspace, inspectedKinds)
      if (newest.size === 0) break
      const open = [...newest.keys()]
      const upTo = [...newest.values()].reduce((a, b) => (a > b ? a : b))
      for (;;) {
        const depth = yield* store.depth(workspace, open, upTo)
        if (depth.waiting === 0 && depth.running === 0) break
        const running = yield* store.list(workspace, page, { status: "running" })
        yield* onChange({ ...depth, jobs: running.items.filter(({ kind }) => newest.has(kind)) })
        yield* changed
      }
      // Follow-up jobs are in the queue before a job ends. The work of a cancelled job is done by its equal.
      const replaced = yield* ended("cancelled", from, (kind) => newest.has(kind))
      inspectedKinds = [...open.flatMap((kind) => leadsTo[kind] ?? []), ...replaced.map(({ kind }) => kind)]
      if (inspectedKinds.length === 0) break
      for (const kind of inspectedKinds) waitedFor.add(kind)
    }
    return yield* ended("dead", since, (kind) => kinds === undefined || waitedFor.has(kind))
  }).pipe(Effect.scoped)

const lookMs = 5_000

/**
 * Waits for work elsewhere as long as the database is writable. On a full disk no job ends, not even as failed, so
 * the wait would never end; it dies with the error of the attempted write instead.
 */
export const whileWritable = <A, E, R>(waiting: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Storage> =>
  Effect.raceFirst(
    waiting,
    Effect.flatMap(Storage, ({ writable }) => Effect.forever(Effect.delay(writable, lookMs)))
  )
