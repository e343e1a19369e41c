import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type Job, JobStore } from "../../platform/jobs/index.js"
import {
  Caller,
  Conflict,
  type EvalId,
  NotFound,
  type PageRequest,
  traced
} from "../../platform/kernel/index.js"
import type { EvalItem, EvalResult, EvalView } from "./model.js"
import { type EvalFilter, EvalStore } from "./store.js"

/** Runs, newest first. */
export const listEvals = traced("evaluation.list")(function* (filter: EvalFilter, page: PageRequest) {
  const [store, { workspace }] = [yield* EvalStore, yield* Caller]
  const { items, total } = yield* store.list(workspace, filter, page)
  const runs = yield* withJobs(items)
  return { items: runs.map(itemOf), total }
})

const itemOf = (run: EvalView): EvalItem => ({
  id: run.id,
  name: run.name,
  suite: run.suite,
  set: run.set,
  status: run.status,
  configDigest: run.configDigest,
  metrics: run.metrics,
  createdAt: run.createdAt,
  startedAt: run.startedAt,
  finishedAt: run.finishedAt
})

/** A run with its metrics and a page of its results; those of topics that were not asked yet are left out. */
export const getEval = traced("evaluation.get")(function* (id: EvalId, { limit, offset }: PageRequest) {
  const [store, { workspace }] = [yield* EvalStore, yield* Caller]
  const run = yield* findEval(id)
  const rows = yield* store.topics(workspace, id, offset, limit)
  return {
    eval: run,
    metrics: run.metrics,
    results: rows.flatMap(({ result }) => result ?? []),
    total: run.done
  }
})

export const findEval = (id: EvalId) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* EvalStore, yield* Caller]
    const found = Option.getOrNull(yield* store.find(workspace, id))
    if (found === null) return yield* new NotFound({ what: "eval" })
    const [run = found] = yield* withJobs([found])
    return run
  })

/** A run whose job died, which no handler could write down any more, has failed. */
const withJobs = (runs: ReadonlyArray<EvalView>) =>
  Effect.gen(function* () {
    const [jobs, { workspace }] = [yield* JobStore, yield* Caller]
    const open = runs.flatMap(({ jobId, status }) =>
      jobId !== null && (status === "queued" || status === "running") ? [jobId] : []
    )
    const found: ReadonlyArray<Job> = open.length === 0 ? [] : yield* jobs.find(workspace, open)
    const dead = new Map(found.flatMap((job) => (job.status === "dead" ? [[job.id, job] as const] : [])))
    return runs.map((run): EvalView => {
      const job = run.jobId === null ? undefined : dead.get(run.jobId)
      return job === undefined
        ? run
        : { ...run, status: "failed", error: job.error, finishedAt: job.finishedAt }
    })
  })

/** Topics that one statement reads. */
const pageSize = 500

/** All results of a run that has succeeded; Conflict while it has not. */
export const allResults = (id: EvalId) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* EvalStore, yield* Caller]
    const run = yield* findEval(id)
    if (run.status !== "succeeded")
      return yield* new Conflict({ message: `The run is ${run.status}, so it has no final results.` })
    const results: Array<EvalResult> = []
    for (let from = 0; from < run.topics; from += pageSize)
      results.push(
        ...(yield* store.topics(workspace, id, from, pageSize)).flatMap(({ result }) => result ?? [])
      )
    return { run, results }
  })

/** A run file as TREC tools read it: `query-id Q0 document-id rank score tag`. Conflict while it is unfinished. */
export const trecRun = traced("evaluation.trecRun")(function* (id: EvalId) {
  const { results, run } = yield* allResults(id)
  return Stream.map(Stream.fromIterable(results), ({ queryId, ranking, scores }) =>
    ranking
      .map((docId, place) => `${queryId} Q0 ${docId} ${place + 1} ${scores[place] ?? 0} ${run.id}\n`)
      .join("")
  )
})
