import * as Effect from "effect/Effect"
import { cohenKappa, krippendorffAlpha } from "../../answers/measures/index.js"
import { Caller, type DocumentId, type EvalId, traced } from "../../platform/kernel/index.js"
import { nextToCheck } from "./judge-corrections.js"
import { type EvalResult, isModelJudge } from "./model.js"
import { allResults } from "./read.js"
import { EvalStore, type JudgeLabel } from "./store.js"
import { topicsOf } from "./topics.js"

/** A document that a person should judge for a topic. */
export interface PoolItem {
  readonly queryId: string
  readonly query: string
  readonly docId: DocumentId
  /** Runs whose first ranks hold it. */
  readonly runs: number
  /** Its best rank in any run, from 1. */
  readonly bestRank: number
  /** The grade that a model gave it; null where nobody judged it. */
  readonly modelGrade: number | null
}

/**
 * Pools the first ranks of several runs: what no person has judged yet, in the order in which judging it is worth most.
 * First come documents that nobody judged, those near the top of many runs before others; then those that only a model
 * judged, beginning with the class whose labels narrow the interval of the model's corrected rate most.
 */
export const poolRuns = traced("evaluation.pool")(function* (input: {
  readonly set: string
  readonly runs: ReadonlyArray<EvalId>
  readonly depth: number
}) {
  const [store, { workspace }] = [(yield* EvalStore).judgments, yield* Caller]
  const runs = yield* Effect.forEach(input.runs, (id) => Effect.map(allResults(id), ({ results }) => results))
  const topics = topicsOf(yield* store.ofSet(workspace, input.set))
  const labels = yield* store.labels(workspace, input.set)
  const byPerson = new Set<string>()
  const byModel = new Map<string, JudgeLabel>()
  for (const label of labels) {
    if (isModelJudge(label.judge)) byModel.set(`${label.queryId}\n${label.docId}`, label)
    else byPerson.add(`${label.queryId}\n${label.docId}`)
  }
  const first = new Map(
    [...new Set([...byModel.values()].map(({ judge }) => judge))].map((judge) => [
      judge,
      nextToCheck(judge, topics, runs.flat(), labels)
    ])
  )
  const items = poolItems(runs, input.depth).filter(
    ({ docId, queryId }) => !byPerson.has(`${queryId}\n${docId}`)
  )
  const classOf = (label: JudgeLabel | undefined): number => {
    if (label === undefined) return 0
    return (label.grade >= 1 ? "positive" : "negative") === first.get(label.judge) ? 1 : 2
  }
  const ranked = items
    .map((item) => ({ item, label: byModel.get(`${item.queryId}\n${item.docId}`) }))
    .sort(
      (a, b) =>
        classOf(a.label) - classOf(b.label) ||
        b.item.runs / b.item.bestRank - a.item.runs / a.item.bestRank ||
        a.item.bestRank - b.item.bestRank ||
        (a.item.queryId + a.item.docId < b.item.queryId + b.item.docId ? -1 : 1)
    )
    .map(({ item, label }): PoolItem => ({ ...item, modelGrade: label?.grade ?? null }))
  return { items: ranked, total: ranked.length }
})

/** The documents in the first `depth` ranks of any run, by topic. Pure. */
const poolItems = (
  runs: ReadonlyArray<ReadonlyArray<EvalResult>>,
  depth: number
): ReadonlyArray<Omit<PoolItem, "modelGrade">> => {
  const pool = new Map<string, Omit<PoolItem, "modelGrade">>()
  for (const results of runs) {
    for (const { query, queryId, ranking } of results) {
      for (const [place, docId] of ranking.slice(0, depth).entries()) {
        const key = `${queryId}\n${docId}`
        const before = pool.get(key)
        pool.set(key, {
          queryId,
          query,
          docId,
          runs: (before?.runs ?? 0) + 1,
          bestRank: Math.min(before?.bestRank ?? place + 1, place + 1)
        })
      }
    }
  }
  return [...pool.values()]
}

/**
 * Returns the agreement of a set's judges: Krippendorff's alpha over all, Cohen's kappa of each two (relevant or not).
 */
export const judgeAgreement = traced("evaluation.agreement")(function* (set: string) {
  const [store, { workspace }] = [(yield* EvalStore).judgments, yield* Caller]
  const labels = yield* store.labels(workspace, set)
  const judges = [...new Set(labels.map(({ judge }) => judge))].sort()
  const places = new Map<string, Map<string, number>>()
  for (const { docId, grade, judge, queryId } of labels) {
    const place = places.get(`${queryId}\n${docId}`) ?? new Map<string, number>()
    places.set(`${queryId}\n${docId}`, place.set(judge, grade))
  }
  const units = [...places.values()].map((place) => judges.map((judge) => place.get(judge) ?? null))
  const alpha = krippendorffAlpha(units, { level: "ordinal" })
  const pairs = judges.flatMap((a, at) =>
    judges.slice(at + 1).flatMap((b) => {
      const both = [...places.values()].flatMap((place) => {
        const [first, second] = [place.get(a), place.get(b)]
        return first === undefined || second === undefined ? [] : [[first >= 1, second >= 1] as const]
      })
      if (both.length === 0) return []
      const kappa = cohenKappa(
        both.map(([first]) => first),
        both.map(([, second]) => second)
      )
      return [{ a, b, items: both.length, kappa }]
    })
  )
  const shared = units.filter((unit) => unit.filter((label) => label !== null).length > 1).length
  return { judges, items: shared, alpha: Number.isNaN(alpha) ? null : alpha, pairs }
})
