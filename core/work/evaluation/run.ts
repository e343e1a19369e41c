import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { askTraced } from "../../answers/answering/index.js"
import { DocumentStore } from "../../files/documents/index.js"
import { record } from "../../platform/audit/index.js"
import { type Job, JobFailed, type JobTools } from "../../platform/jobs/index.js"
import {
  atomically,
  Caller,
  defined,
  EvalId,
  Ids,
  nextTurn,
  now,
  type SpendCapExceeded,
  traced
} from "../../platform/kernel/index.js"
import { retrieve, vectorPassagesMin } from "../../search/retrieval/index.js"
import { fitStored, itemOf, StoredItem } from "./calibrate.js"
import { judgeCorrections } from "./judge-corrections.js"
import type { EvalView, Topic } from "./model.js"
import { runMetrics, runWarnings } from "./run-metrics.js"
import { answerResult, retrievalResult } from "./score-topic.js"
import { countSpend, refuseAtSpendCap } from "./start.js"
import { EvalStore, type RunTopic, type StoredEval } from "./store.js"

/** Topics of one unit of work. */
const topicsPerUnit = 20

/**
 * Does the work of a run, from where it stands: topics that have a result are not asked again. A run that is over or
 * cancelled is nothing to do. The last attempt that fails ends the run as failed.
 */
export const workOnEval = (job: Job, tools: Pick<JobTools, "progress">) =>
  Effect.gen(function* () {
    const id = EvalId.safeParse(job.subjectId).data
    const run = id === undefined ? null : yield* begin(id)
    if (run === null) return
    yield* finish(run, yield* askTopics(run, tools))
  }).pipe(
    Effect.catchAll((fault) =>
      Effect.gen(function* () {
        const isFinal = fault._tag === "InvalidInput" || fault._tag === "SpendCapExceeded"
        const isLast = job.attempt >= job.maxAttempts || isFinal
        const id = EvalId.safeParse(job.subjectId).data
        if (isLast && id !== undefined) yield* end(id, "failed", fault.message)
        if (!isFinal) return yield* new JobFailed({ message: fault.message, retryable: !isLast })
      })
    )
  )

/** The run as it is under way; null when there is nothing to do. */
const begin = (id: EvalId) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* EvalStore, yield* Caller]
    const run = Option.getOrNull(yield* store.find(workspace, id))
    if (run?.status === "running") return run
    if (run?.status !== "queued") return null
    const startedAt = yield* now
    const corpusFingerprint = yield* fingerprint
    const next = { ...run, status: "running" as const, startedAt, corpusFingerprint }
    return (yield* store.update(workspace, stored(next), "queued")) ? next : null
  })

/** The row of a run as it is stored. */
const stored = ({ done: _done, ...run }: EvalView): StoredEval => run

/** SHA-256 over paths and contents of the live documents, in path order. */
const fingerprint = Effect.gen(function* () {
  const [documents, ids, { workspace }] = [yield* DocumentStore, yield* Ids, yield* Caller]
  const stamps = yield* documents.stamps(workspace)
  return ids.sha256(stamps.map(({ contentHash, path }) => `${path}\0${contentHash}\n`).join(""))
})

/** Asks the topics that have no result yet; null when the run was cancelled meanwhile. */
const askTopics = (run: EvalView, { progress }: Pick<JobTools, "progress">) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* EvalStore, yield* Caller]
    const all: Array<RunTopic> = []
    while (all.length < run.topics) {
      const rows = yield* store.topics(workspace, run.id, all.length, topicsPerUnit)
      if (rows.length === 0) break
      const fresh: Array<RunTopic> = []
      let refused: SpendCapExceeded | null = null
      for (const row of rows) {
        if (row.result !== null) continue
        if (run.suite !== "retrieval")
          refused = yield* Effect.flip(refuseAtSpendCap).pipe(Effect.orElseSucceed(() => null))
        if (refused !== null) break
        fresh.push(yield* askTopic(run, row))
      }
      if (fresh.length > 0) {
        const now = Option.getOrNull(yield* store.find(workspace, run.id))
        if (now?.status !== "running") return null
        yield* atomically(store.putResults(workspace, run.id, fresh))
      }
      // Topics that were answered are kept before the failure, because their model calls are paid for.
      if (refused !== null) return yield* refused
      const answeredRows = new Map(fresh.map((row) => [row.place, row]))
      all.push(...rows.map((row) => answeredRows.get(row.place) ?? row))
      yield* progress({ done: all.length, total: run.topics, note: "topics" })
      yield* nextTurn
    }
    return all
  })

const askTopic = (run: EvalView, row: RunTopic) =>
  run.suite === "retrieval" ? searchTopic(run, row) : answerTopic(run, row)

const searchTopic = ({ options }: EvalView, row: RunTopic) =>
  Effect.gen(function* () {
    const { channels, demotion, depth, rerank, rrfK, weights } = options
    const { passages } = yield* retrieve((yield* Caller).workspace, {
      query: row.topic.query,
      // Passages enough for so many documents: a document has several.
      limit: 4 * depth,
      rerank,
      tuning: defined({ channels, weights: weights && defined(weights), rrfK, demotion })
    })
    return { ...row, result: retrievalResult(row.topic, passages, options) }
  })

const answerTopic = ({ calibrate, options }: EvalView, row: RunTopic) =>
  Effect.gen(function* () {
    const question = {
      question: row.topic.query,
      includeData: false,
      maxSources: 8,
      policyMode: "shadow" as const
    }
    // A trial: it leaves no answer, no decision and nothing in the cache.
    const traced = yield* askTraced(question, { kept: false })
    const { answer, trace } = traced
    yield* countSpend(trace.costUsd)
    const detail =
      calibrate && trace.gate !== null
        ? itemOf(judgedOf(row.topic), answer.claims, trace.answerable, trace.gate.features)
        : null
    return {
      ...row,
      result: answerResult(row.topic, traced, options),
      detail: detail === null ? null : { ...detail }
    }
  })

const judgedOf = ({ answers, expectAbstain, query }: Topic) => ({
  question: query,
  answers: expectAbstain ? [] : [...answers],
  answerable: !expectAbstain
})

const finish = (run: EvalView, topicsOfRun: ReadonlyArray<RunTopic> | null) =>
  Effect.gen(function* () {
    if (topicsOfRun === null) return
    const { workspace } = yield* Caller
    const results = topicsOfRun.flatMap(({ result }) => result ?? [])
    const topics = topicsOfRun.map(({ topic }) => topic)
    const corpusChanged = (yield* fingerprint) !== run.corpusFingerprint
    const labels = yield* (yield* EvalStore).judgments.labels(workspace, run.set)
    const items = topicsOfRun.flatMap(({ detail }) => StoredItem.safeParse(detail).data ?? [])
    const calibrationVersion = run.calibrate
      ? yield* fitStored(topics.map(judgedOf), items, { seed: String(run.seed) })
      : null
    const finishedAt = yield* now
    const { chunks } = yield* (yield* DocumentStore).counts(workspace)
    const vectorless =
      run.versions["embedder"] == null && chunks < vectorPassagesMin
        ? [
            `There are ${chunks} passages; built-in vectors need ${vectorPassagesMin}, so the words alone ranked them.`
          ]
        : []
    yield* change(run.id, (before) => ({
      ...before,
      status: "succeeded",
      metrics: runMetrics(run.suite, results),
      corpusChanged,
      judgeCorrections: [...judgeCorrections(topics, results, labels, claimJudgeOf(run))],
      warnings: [...runWarnings(run.suite, topics, results, corpusChanged), ...vectorless],
      calibrationVersion,
      finishedAt
    }))
  })

/** Returns the judge of a run's claims. */
export const claimJudgeOf = ({ versions }: Pick<EvalView, "versions">): string =>
  versions["judge"] ?? "unknown"

/** Cancels a run that waits or runs; false when it is over. */
export const cancelEval = traced("evaluation.cancel")(function* (id: EvalId) {
  return yield* end(id, "cancelled", null)
})

const end = (id: EvalId, status: "failed" | "cancelled", error: string | null) =>
  Effect.gen(function* () {
    const finishedAt = yield* now
    return yield* change(id, (before) => ({ ...before, status, error, finishedAt }))
  })

/** Ends a run that is not over, in one unit of work with its audit event; false when it is over. */
const change = (id: EvalId, to: (before: EvalView) => EvalView) =>
  atomically(
    Effect.gen(function* () {
      const [store, { workspace }] = [yield* EvalStore, yield* Caller]
      const before = Option.getOrNull(yield* store.find(workspace, id))
      if (before === null || (before.status !== "queued" && before.status !== "running")) return false
      const after = to(before)
      if (!(yield* store.update(workspace, stored(after), before.status))) return false
      const { corpusChanged, status } = after
      yield* record([{ action: `eval.${status}`, subjectId: id, details: { corpusChanged } }])
      return true
    })
  )
