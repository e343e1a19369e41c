import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { forgetExpired } from "../answer-cache/index.js"
import { pruneAnswers, pruneDecisions } from "../answering/index.js"
import { DocumentStore } from "../documents/index.js"
import { type Handler, JobStore, startWorker } from "../jobs/index.js"
import { Caller, type Fault, isCausedByReadOnlyData } from "../kernel/index.js"
import { pruneDataRows } from "../livedata/index.js"
import { type MaintenanceIntervals, recurringJobs } from "../maintenance/index.js"
import type { Ports } from "../ports.js"
import { handlers, type Wired } from "../wiring.js"
import type { IngestOptions, IngestReport } from "./ingest-report.js"

/** A place beside the main loop, over the same files and data, where long work holds up nobody: a thread. */
export interface BackgroundWorker {
  /** The kinds of jobs that are done there; the others stay with whoever has it made. */
  readonly kinds: ReadonlyArray<string>
  /**
   * Has it open from now on, working on jobs of its kinds; safe to repeat. False when there can be none, which it
   * has told in the log: everything is done here then.
   */
  readonly open: Effect.Effect<boolean>
  /** Closes it where nobody waits for it, and gives back what it holds; work that comes later opens it anew. */
  readonly rest: Effect.Effect<void>
  /** As `ingest` of an engine; once it is open. */
  readonly ingest: (options: IngestOptions) => Effect.Effect<IngestReport, Fault>
}

/** Makes a workshop, which opens when there is work for it and closes with the scope. */
export type MakeBackgroundWorker = Effect.Effect<BackgroundWorker, never, Scope.Scope | Ports | Caller>

/**
 * Up to so many passages in a workspace its jobs take some tenths of a second in all, in turns with everything else: less
 * than it costs to open a workshop.
 */
const hereMax = 500

type Work = Handler<Ports | Wired | Caller>

/**
 * Works on jobs until it is interrupted: all of them here where there is no workshop; else those of its kinds there,
 * from the moment when some wait in a workspace that is large.
 */
export const runJobs = (
  owner: string,
  workshop: BackgroundWorker | null,
  upkeep: MaintenanceIntervals = {}
) => {
  const recurring = recurringJobs(upkeep)
  if (workshop === null)
    return Effect.scoped(
      Effect.zipRight(Effect.all([forget, startWorker(handlers, { owner, recurring })]), Effect.never)
    )
  const there = ({ kind }: Work) => workshop.kinds.includes(kind)
  const hereOnly = handlers.filter((handler) => !there(handler))
  return Effect.scoped(
    Effect.gen(function* () {
      yield* forget
      yield* startWorker(hereOnly, { owner: `${owner}-own`, recurring })
      const work = handlers.filter(there)
      yield* Effect.forever(
        Effect.zipRight(
          untilLarge(owner, work, workshop.open),
          untilQuiet(
            work.map(({ kind }) => kind),
            workshop.rest
          )
        )
      )
    })
  )
}

/** A workshop without work for so long is closed: it holds tens of megabytes, and opening one takes tenths of a second. */
const quietMs = 10_000

/** Ends when the workshop had nothing to do for a while and rests. */
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

/** Old answers go at once too: of processes that are short none may last until it is time for that. */
const forget = Effect.forkScoped(
  Effect.all([pruneAnswers(), pruneDecisions(), pruneDataRows(), forgetExpired()], { discard: true }).pipe(
    Effect.catchAllCause((cause) =>
      isCausedByReadOnlyData(cause)
        ? Effect.void
        : Effect.logWarning("Old answers could not be forgotten.", cause)
    )
  )
)

/** Does small work here as it comes; ends, with its jobs handed back, when there is large work and a place for it. */
const untilLarge = (owner: string, work: ReadonlyArray<Work>, open: BackgroundWorker["open"]) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const [jobs, documents] = [yield* JobStore, yield* DocumentStore]
    const kinds = work.map(({ kind }) => kind)
    const changed = yield* jobs.watch
    for (let working = false; ; ) {
      const { running, waiting } = yield* jobs.depth(workspace, kinds)
      if (running + waiting > 0) {
        if ((yield* documents.counts(workspace)).chunks > hereMax && (yield* open)) return
        if (!working) yield* startWorker(work, { owner })
        working = true
      }
      yield* changed
    }
  }).pipe(Effect.scoped)
