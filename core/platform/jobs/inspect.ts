import * as Effect from "effect/Effect"
import { Caller, type Inspector, traced } from "../kernel/index.js"
import { JobStore } from "./store.js"

/** Kinds of findings about the queue. */
export const jobFindings = {
  job_dead: "remark",
  job_lost: "difference"
} as const

type JobInspector = Inspector<keyof typeof jobFindings>

/** Workers sweep the queue more often than this, so a lease that ended within this time is no finding. */
const patienceMs = 400
const jobsMax = 200

/**
 * Finds running jobs whose worker is gone and jobs that failed for good. A repair returns the former to the queue and
 * retries the latter. Returns the number of jobs that are pending, running or dead.
 */
export const inspectJobs = traced("jobs.inspect")(function* (inspector: JobInspector) {
  const [inspection, store, { workspace }] = [(yield* JobStore).inspection, yield* JobStore, yield* Caller]
  const suspects = new Set((yield* inspection.lost(workspace, jobsMax)).map(({ id }) => id))
  if (suspects.size > 0) {
    yield* Effect.sleep(patienceMs)
    const lostJobs = (yield* inspection.lost(workspace, jobsMax)).filter(({ id }) => suspects.has(id))
    for (const { id, kind } of lostJobs)
      yield* inspector.report("job_lost", { subject: id, message: `The worker of this ${kind} job is gone.` })
    if (inspector.rebuild) while ((yield* store.sweep) > 0);
  }
  const failed = yield* store.list(workspace, { limit: jobsMax, offset: 0 }, { status: "dead" })
  for (const { error, id, kind } of failed.items)
    yield* inspector.report("job_dead", {
      subject: id,
      message: `The ${kind} job failed for good: ${error ?? "no error message"}`
    })
  if (inspector.rebuild && failed.total > 0) yield* store.retry(workspace, "all")
  const { dead, running, waiting } = yield* store.depth(workspace)
  return dead + running + waiting
})
