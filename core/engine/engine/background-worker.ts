import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { forgetExpired } from "../../answers/answer-cache/index.js"
import { pruneAnswers, pruneDecisions } from "../../answers/answering/index.js"
import { pruneDataRows } from "../../connected/livedata/index.js"
import { DocumentStore } from "../../files/documents/index.js"
import { type Handler, JobStore, startWorker } from "../../platform/jobs/index.js"
import { Caller, type Fault, isCausedByReadOnlyData } from "../../platform/kernel/index.js"
import type { Ports } from "../../ports.js"
import { type MaintenanceIntervals, recurringJobs } from "../../upkeep/maintenance/index.js"
import type { IngestOptions, IngestReport } from "./ingest-report.js"
import { handlers, type Wired } from "./wiring.js"

/** A thread over the same files and data for long-running work. */
export interface BackgroundWorker {
  /** The kinds of jobs that the thread runs; the owner runs the others. */
  readonly kinds: ReadonlyArray<string>
  /**
   * Starts the thread, which then works on jobs of its kinds; idempotent. Returns false if there can be no thread,
   * which it has logged; all work then runs in the main thread.
   */
  readonly open: Effect.Effect<boolean>
  /** Completes when the thread is open, whoever opened it. */
  readonly opened: Effect.Effect<void>
  /** Completes when no thread is open. */
  readonly rested: Effect.Effect<void>
  /** Closes the thread if no caller waits for it, and releases its memory; later work opens it again. */
  readonly rest: Effect.Effect<void>
  /** Runs the `ingest` of an engine in the thread, which must be open. */
  readonly ingest: (options: IngestOptions) => Effect.Effect<IngestReport, Fault>
}

/** Creates a background worker, which opens on demand and closes with the scope. */
export type MakeBackgroundWorker = Effect.Effect<BackgroundWorker, never, Scope.Scope | Ports | Caller>

/**
 * In workspaces with at most this many passages jobs take tenths of a second in total, less than starting the thread.
 */
const mainThreadPassagesMax = 500

type Work = Handler<Ports | Wired | Caller>

/**
 * Runs jobs until interrupted: in the main thread without a background worker; else the worker runs jobs of its kinds
 * once some are pending in a large workspace.
 */
export const runJobs = (
  owner: string,
  workshop: BackgroundWorker | null,
  upkeep: MaintenanceIntervals = {}
) => {
  const recurring = recurringJobs(upkeep)
  if (workshop === null)
    return Effect.scoped(
      Effect.zipRight(
        Effect.all([forgetExpiredAnswers, startWorker(handlers, { owner, recurring })]),
        Effect.never
      )
    )
  const isBackgroundKind = ({ kind }: Work) => workshop.kinds.includes(kind)
  const hereOnly = handlers.filter((handler) => !isBackgroundKind(handler))
  return Effect.scoped(
    Effect.gen(function* () {
      yield* forgetExpiredAnswers
      yield* startWorker(hereOnly, { owner: `${owner}-own`, recurring })
      const work = handlers.filter(isBackgroundKind)
      const kinds = work.map(({ kind }) => kind)
      // An ingest opens the thread too, and does not close it.
      yield* Effect.forkScoped(
        Effect.forever(Effect.zipRight(workshop.opened, untilQuiet(kinds, workshop.rest)))
      )
      yield* Effect.forever(Effect.zipRight(untilLarge(owner, work, workshop.open), workshop.rested))
    })
  )
}

/** The thread is closed after this idle time: it uses tens of megabytes, and starting it takes tenths of a second. */
const quietMs = 10_000

/** Ends when the background worker has been idle for a while and has closed. */
const untilQuiet = (kinds: ReadonlyArray<string>, rest: BackgroundWorker["rest"]) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const jobs = yield* JobStore
    const changed = yield* jobs.watch
    while (true) {
      const { running, waiting } = yield* jobs.depth(workspace, kinds)
      const isQuiet = yield* Effect.raceFirst(
        Effect.as(changed, false),
        Effect.as(Effect.sleep(quietMs), true)
      )
      if (running + waiting === 0 && isQuiet) return yield* rest
    }
  }).pipe(Effect.scoped)

/** Expired answers are also deleted at once, because short-lived processes may end before the recurring job. */
const forgetExpiredAnswers = Effect.forkScoped(
  Effect.all([pruneAnswers(), pruneDecisions(), pruneDataRows(), forgetExpired()], { discard: true }).pipe(
    Effect.catchAllCause((cause) =>
      isCausedByReadOnlyData(cause)
        ? Effect.void
        : Effect.logWarning("Old answers could not be forgotten.", cause)
    )
  )
)

/** Runs jobs in the main thread; ends and returns its jobs when large work is pending and a thread is available. */
const untilLarge = (owner: string, work: ReadonlyArray<Work>, open: BackgroundWorker["open"]) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const [jobs, documents] = [yield* JobStore, yield* DocumentStore]
    const kinds = work.map(({ kind }) => kind)
    const changed = yield* jobs.watch
    for (let working = false; ; ) {
      const { running, waiting } = yield* jobs.depth(workspace, kinds)
      if (running + waiting > 0) {
        if ((yield* documents.counts(workspace)).chunks > mainThreadPassagesMax && (yield* open)) return
        if (!working) yield* startWorker(work, { owner })
        working = true
      }
      yield* changed
    }
  }).pipe(Effect.scoped)
