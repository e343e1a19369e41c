import * as Effect from "effect/Effect"
import { Caller, type Examiner, traced } from "../kernel/index.js"
import { JobInspection } from "./inspection.js"
import { JobStore } from "./store.js"

/** The kinds of what may be wrong with the queue. */
export const jobFindings = {
  job_dead: "remark",
  job_lost: "difference"
} as const

type JobExaminer = Examiner<keyof typeof jobFindings>

/** Every worker sweeps the queue more often than this; a lease that ended a moment ago is not stuck. */
const patienceMs = 400
const jobsMax = 200

/** Looks for jobs that nobody works on although they count as running, and for those that were given up. */
export const checkJobs = traced("jobs.check")(function* (examiner: JobExaminer) {
  const [inspection, store, { workspace }] = [yield* JobInspection, yield* JobStore, yield* Caller]
  const suspects = new Set((yield* inspection.lost(workspace, jobsMax)).map(({ id }) => id))
  if (suspects.size > 0) {
    yield* Effect.sleep(patienceMs)
    const lost = (yield* inspection.lost(workspace, jobsMax)).filter(({ id }) => suspects.has(id))
    for (const { id, kind } of lost)
      yield* examiner.tell("job_lost", { subject: id, message: `the worker of this ${kind} job is gone` })
    if (examiner.repair) while ((yield* store.sweep) > 0);
  }
  const dead = yield* store.list(workspace, { limit: jobsMax, offset: 0 }, { status: "dead" })
  for (const { error, id, kind } of dead.items)
    yield* examiner.tell("job_dead", {
      subject: id,
      message: `${kind} failed for good: ${error ?? "it did not say why"}`
    })
  if (examiner.repair && dead.total > 0) yield* store.retry(workspace, "all")
  return yield* Effect.map(
    store.depth(workspace),
    ({ dead: given, running, waiting }) => given + running + waiting
  )
})
