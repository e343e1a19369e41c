import * as Effect from "effect/Effect"
import { documentsChanged } from "../../files/documents/index.js"
import {
  announce,
  drain,
  enqueue,
  type Handler,
  type LeadsTo,
  startWorker
} from "../../platform/jobs/index.js"
import { atomically, Caller } from "../../platform/kernel/index.js"
import type { FollowUpKinds, ReportProgress } from "./parts.js"

/** The background jobs for derived data, and how this process runs them. */
export interface FollowUpJobs<R = never> {
  /** The name of this process as a worker. */
  readonly owner: string
  /** Whether this process already runs a worker; otherwise a rebuild starts one until the jobs are done. */
  readonly works: boolean
  readonly handlers: ReadonlyArray<Handler<R>>
  readonly leadsTo: LeadsTo
  readonly kinds: FollowUpKinds
  /** Stops waiting if the database becomes unwritable. */
  readonly whileWritable: <A, E, S>(waiting: Effect.Effect<A, E, S>) => Effect.Effect<A, E, R | S>
}

/** Runs the jobs that follow from rebuilt data and waits for them, whichever process runs them. */
export const runFollowUpJobs = <R>(
  { handlers, kinds, leadsTo, owner, whileWritable, works }: FollowUpJobs<R>,
  reportProgress: ReportProgress
) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    yield* atomically(
      Effect.zipRight(
        announce(documentsChanged, {}),
        enqueue([{ kind: kinds.analytics, dedupeKey: kinds.analytics }])
      )
    )
    if (!works) yield* startWorker(handlers, { owner: `${owner}/doctor` })
    yield* whileWritable(
      drain(workspace, {
        leadsTo,
        onChange: ({ running, waiting }) =>
          reportProgress({ phase: "work", done: 0, total: running + waiting })
      })
    )
  }).pipe(Effect.scoped)
