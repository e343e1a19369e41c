import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
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

/** Which kinds of work a job of a kind leads to; those that are not there lead to none. */
export type LeadsTo = Readonly<Record<string, ReadonlyArray<string>>>

/** However work leads to work, and equal jobs take each other's place, this is where waiting ends. */
const generationsMax = 8

/**
 * Waits until the jobs of the workspace (of these kinds, or of any) that wait or run, and those that they lead to, have
 * ended, whoever runs them, and gives those that died meanwhile, at most 200, the newest first. What others ask for
 * meanwhile is not waited for, so it ends beside people who never stop writing. Never fails; never ends while nobody
 * works.
 *
 * @param options.leadsTo Nothing by default: only what is there is waited for.
 * @param options.onChange Called with each look at the queue, for a bar of progress.
 */
export const drain = (
  workspace: WorkspaceScope,
  options: {
    readonly kinds?: ReadonlyArray<string>
    readonly leadsTo?: LeadsTo
    readonly onChange?: (remaining: Remaining) => Effect.Effect<void>
    /** Jobs that died from this moment on are given; the moment of the call by default. */
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
    let looked = kinds
    for (let generation = 0; generation < generationsMax; generation++) {
      const from = yield* now
      const newest = yield* store.newestOpen(workspace, looked)
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
      // Whatever a job leads to is in the queue before it has ended; the work of a cancelled one is its equal's.
      const replaced = yield* ended("cancelled", from, (kind) => newest.has(kind))
      looked = [...open.flatMap((kind) => leadsTo[kind] ?? []), ...replaced.map(({ kind }) => kind)]
      if (looked.length === 0) break
      for (const kind of looked) waitedFor.add(kind)
    }
    return yield* ended("dead", since, (kind) => kinds === undefined || waitedFor.has(kind))
  }).pipe(Effect.scoped)
