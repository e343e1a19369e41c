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
import { type Ended, type Held, perform } from "./perform.js"
import { type DueKind, JobStore } from "./store.js"

/** Times in milliseconds. */
export interface WorkerOptions<R = never> {
  /** Names this worker and its process; never the same for two workers. */
  readonly owner: string
  /** 30,000 by default. */
  readonly leaseMs?: number
  /** 10,000 by default; a third of the lease lets two beats be missed. */
  readonly beatMs?: number
  /** Without a beat for so long the worker stops its jobs by itself; 20,000 by default, below the lease. */
  readonly giveUpMs?: number
  /** 5,000 by default. */
  readonly sweepMs?: number
  /** 60,000 by default; also how often finished jobs are pruned. */
  readonly reconcileMs?: number
  /** How long a shutdown waits for handlers to stop; 10,000 by default. */
  readonly graceMs?: number
  /** Finds work that was owed but never enqueued; runs at the start and then regularly. */
  readonly reconcile?: Effect.Effect<void, never, R>
  /** What comes by itself; nothing by default. */
  readonly recurring?: ReadonlyArray<Recurring>
  /** How often is looked for it, the first time after so long; 5,000 by default. */
  readonly recurMs?: number
  /** Jobs of each kind that run here at once, at least; what the handlers say by default. */
  readonly slotsMin?: number
  /** Told of each attempt that is over. */
  readonly onEnd?: (ended: Ended) => Effect.Effect<void>
  /** How long succeeded (7 days by default) and dead jobs (30 days) are kept. */
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
/** How often progress is stored and leases are looked at. */
const pulseMs = 1_000
/** The net beneath the signals: nothing is known that would need it. */
const idleMaxMs = 30_000
const pruneMax = 1_000
/** Kinds that are claimed at the same time. */
const claimsAtOnce = 4

/** What the fibers of one worker share. */
interface Worker {
  readonly store: JobStore["Type"]
  readonly options: Required<WorkerOptions>
  readonly held: Set<Held>
  /** Told when a slot becomes free, or the queue has changed. */
  readonly freed: Queue.Queue<void>
}

/**
 * Works on the queue until the scope closes; then stops claiming, interrupts what runs and hands it back without
 * counting the attempt. Trouble with the queue is logged and tried again, never thrown.
 *
 * @throws RangeError (a defect) when two handlers are of one kind: a programmer's mistake.
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
    // Not at once: whoever opens a workspace for a moment leaves it to those that stay.
    if (recurring.length > 0)
      yield* Effect.forkScoped(
        Effect.delay(every(recurMs, "recurring work", worker.store.recur(recurring)), recurMs)
      )
    yield* Effect.forkScoped(dispatch(worker, handlers))
  })

/** What a worker knows of the queue. */
interface Known {
  kinds: Map<string, DueKind>
  /** Whether there may be more than that. */
  isStale: boolean
  /** When a scheduled job becomes due, or a look is due for no reason. */
  nextAtMs: number
}

/**
 * Claims whenever there may be work and a free slot. A look at the queue is needed only when it has changed: in a long
 * queue a slot that becomes free leads to the next claim at once.
 */
const dispatch = <R>(worker: Worker, handlers: ReadonlyArray<Handler<R>>) =>
  Effect.gen(function* () {
    const changed = yield* worker.store.watchDue
    const known: Known = { kinds: new Map(), isStale: true, nextAtMs: 0 }
    const heard = Effect.flatMap(changed, () => {
      known.isStale = true
      return Queue.offer(worker.freed, undefined)
    })
    yield* Effect.forkScoped(Effect.forever(heard))
    const round = Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      const looks = known.isStale || nowMs >= known.nextAtMs
      if (looks && (yield* look(worker, known, nowMs)) === 0) return yield* worker.store.promote
      const taken = yield* Effect.forEach(handlers, (handler) => fill(worker, handler, known), {
        concurrency: claimsAtOnce
      })
      // What came back empty by what was known before may have been in other hands for a moment.
      if (taken.some((count) => count > 0) || (known.isStale && !looks)) return
      const idleMs = known.nextAtMs - (yield* Clock.currentTimeMillis)
      yield* Effect.raceFirst(Queue.take(worker.freed), Effect.sleep(Math.max(1, idleMs)))
    })
    return yield* Effect.forever(
      Effect.catchAllCause(round, (cause) => {
        known.isStale = true
        return Effect.zipRight(told("dispatch", cause), Effect.sleep(pulseMs))
      })
    )
  }).pipe(Effect.scoped)

/** Learns what waits; gives the milliseconds until a scheduled job is to be made due. */
const look = (worker: Worker, known: Known, nowMs: number) =>
  Effect.gen(function* () {
    // Before, so that a change meanwhile leads to another look.
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

/** Takes as many jobs of the kind as there are free slots; gives how many. */
const fill = <R>(worker: Worker, handler: Handler<R>, known: Known) => {
  const due = known.kinds.get(handler.kind)
  const slots = Math.max(handler.slots ?? defaultSlots, worker.options.slotsMin)
  // One place more than a single workspace ever gets: whoever comes beside one that fills all slots waits for none.
  const places = slots + 1
  const held = [...worker.held].map(({ lease }) => lease.job).filter(({ kind }) => kind === handler.kind)
  const limit = places - held.length
  // A claim for the one workspace that waits and has all it may have would be in vain, at each change of a long queue.
  const isFull = () =>
    due?.first === due?.last && held.filter(({ workspaceId }) => workspaceId === due?.first).length >= slots
  if (due === undefined || limit <= 0 || isFull()) return Effect.succeed(0)
  return Effect.gen(function* () {
    const leases = yield* worker.store.claim({
      kind: handler.kind,
      limit,
      // One slot in four is kept for the others as soon as there are others.
      workspaceMax: Math.max(1, Math.floor((slots * 3) / 4)),
      loneMax: slots,
      maxAttempts: handler.maxAttempts ?? defaultMaxAttempts,
      owner: worker.options.owner,
      leaseMs: worker.options.leaseMs
    })
    // A lone workspace may have all but the last place: whoever gave so much may have more.
    if (leases.length < Math.max(1, limit - 1)) {
      known.kinds.delete(handler.kind)
      known.isStale = true
    }
    if (leases.length > 0) yield* crashPoint("job.claim.afterTransaction")
    yield* Effect.forEach(leases, (lease) => begin(worker, handler, lease), { discard: true })
    return leases.length
    // Between the claim and the start nothing may get lost.
  }).pipe(Effect.uninterruptible)
}

const begin = <R>(worker: Worker, handler: Handler<R>, lease: Lease) =>
  Effect.gen(function* () {
    const confirmedAt = yield* Clock.currentTimeNanos
    const held: Held = { lease, confirmedAt, progress: null, stopped: null, fiber: Option.none() }
    worker.held.add(held)
    const end = Effect.zipRight(
      Effect.sync(() => worker.held.delete(held)),
      Queue.offer(worker.freed, undefined)
    )
    const done = perform(worker.store, handler, held, worker.options.onEnd)
    held.fiber = Option.some(yield* Effect.forkDaemon(Effect.ensuring(done, end)))
  })

/** Each second: stores progress, prolongs leases that are due, lets go of the lost ones. */
const pulses = (worker: Worker) => {
  const { beatMs, giveUpMs, leaseMs } = worker.options
  const pulse = Effect.gen(function* () {
    const started = yield* Clock.currentTimeNanos
    const live = [...worker.held].filter((held) => held.stopped === null)
    const ageMs = (held: Held) => Number((started - held.confirmedAt) / 1_000_000n)
    const due = live.some((held) => ageMs(held) >= beatMs)
      ? live
      : live.filter((held) => held.progress !== null)
    if (due.length > 0) {
      const beats = due.map(({ lease, progress }) => ({ lease, progress }))
      // The beat must not hang: who waits for it could not stop the jobs in time.
      const kept = yield* worker.store.beat(beats, leaseMs).pipe(
        Effect.disconnect,
        Effect.timeout(beatMs / 2),
        Effect.map((ids) => new Set(ids)),
        Effect.catchAllCause((cause) => Effect.as(Effect.logWarning("Jobs: no heartbeat.", cause), null))
      )
      if (kept !== null) {
        for (const [index, held] of due.entries()) {
          if (held.progress === beats[index]?.progress) held.progress = null
          if (kept.has(held.lease.job.id)) held.confirmedAt = started
          else yield* lose(held)
        }
      }
    }
    for (const held of live) if (ageMs(held) >= giveUpMs) yield* lose(held)
  })
  return every(pulseMs, "pulse", pulse)
}

/** Stops a handler whose job is no longer ours. Does not wait for it: the fence keeps its writes out. */
const lose = (held: Held) =>
  Effect.suspend(() => {
    if (held.stopped !== null) return Effect.void
    held.stopped = "lost"
    return Option.match(held.fiber, { onNone: () => Effect.void, onSome: Fiber.interruptFork })
  })

/** Stops what runs and hands it back. Who does not stop in time loses the lease, so that nothing is stored late. */
const handBack = (worker: Worker) =>
  Effect.gen(function* () {
    for (const held of worker.held) held.stopped ??= "shutdown"
    const fibers = [...worker.held].flatMap((held) => Option.toArray(held.fiber))
    // In a fiber of its own: the one that closes the scope can neither be interrupted here nor wait with a limit.
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

const sweep = ({ store }: Worker) =>
  Effect.tap(store.sweep, (swept) => (swept > 0 ? crashPoint("job.sweep.afterTransaction") : Effect.void))

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

/** Tells of trouble with what is tried again by itself, whatever became of this try. */
const told = (what: string, cause: Cause.Cause<never>): Effect.Effect<void> => {
  if (isCausedByReadOnlyData(cause)) return Effect.void
  return isCausedByUnavailableData(cause)
    ? Effect.logWarning(
        `Jobs: no ${what}, since the database cannot be reached. It is tried again until it can.`
      )
    : Effect.logError(`Jobs: ${what} failed.`, cause)
}

/** Does something now and then each so many milliseconds; trouble is logged. */
const every = <A, R>(intervalMs: number, what: string, work: Effect.Effect<A, never, R>) =>
  Effect.forever(
    Effect.zipRight(
      Effect.catchAllCause(work, (cause) => told(what, cause)),
      Effect.sleep(intervalMs)
    )
  )
