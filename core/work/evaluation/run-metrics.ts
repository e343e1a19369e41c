import { abstentionScores, aurc, brier, ece } from "../../answers/measures/index.js"
import type { EvalMetrics, EvalResult, Suite, Topic } from "./model.js"
import { gradesOf } from "./topics.js"

/** Judged share at rank 10 below which a ranking metric is mostly about what was not judged. */
const judgedShareMin = 0.9
/** Topics below which little can be shown. */
const topicsMin = 25

/** Means over the topics of a run, under the names of the catalog and every metric under its own. */
export const runMetrics = (suite: Suite, results: ReadonlyArray<EvalResult>): EvalMetrics => {
  const means = meansOf(results)
  const sum = (name: string) => results.reduce((total, { metrics }) => total + (metrics[name] ?? 0), 0)
  const of = (name: string): number | null => means[name] ?? null
  const claims = sum("claims")
  const { claims: _claims, verifiedClaims: _verified, ...named } = means
  return {
    ...named,
    ndcg: of("ndcg@10"),
    mrr: of("rr"),
    map: of("ap"),
    recall: of("recall@100"),
    precision: of("p@10"),
    groundedness: claims === 0 ? null : sum("verifiedClaims") / claims,
    groundednessMacro: of("groundedness"),
    citationPrecision: of("citationPrecision"),
    citationRecall: of("citationRecall"),
    abstention: suite === "retrieval" ? null : abstentionMetrics(results)
  }
}

/** The mean of each metric over the topics that have it. */
const meansOf = (results: ReadonlyArray<EvalResult>): Readonly<Record<string, number>> => {
  const names = new Set(results.flatMap(({ metrics }) => Object.keys(metrics)))
  return Object.fromEntries(
    [...names].map((name) => {
      const values = results.flatMap(({ metrics }) => metrics[name] ?? [])
      return [name, values.reduce((total, value) => total + value, 0) / values.length]
    })
  )
}

/** Returns the metrics of a run's verdicts; confidence is scored over the answers that were written. */
const abstentionMetrics = (results: ReadonlyArray<EvalResult>) => {
  const rows = results.map(({ expectAbstain = false, right = false, verdict = "" }) => ({
    answerable: !expectAbstain,
    verdict,
    right
  }))
  const { coverage, f1, harm, overAbstention, precision, recall, selectiveAccuracy } = abstentionScores(rows)
  const answeredResults = results.flatMap(({ confidence, metrics, right = false }) =>
    confidence === undefined || metrics["answered"] !== 1 ? [] : [{ confidence, right }]
  )
  const none = answeredResults.length === 0
  return {
    coverage,
    selectiveAccuracy,
    harm,
    precision,
    recall,
    f1,
    overAbstention,
    aurc: none ? null : aurc(answeredResults),
    ece: none ? null : ece(answeredResults),
    brier: none ? null : brier(answeredResults)
  }
}

/** Sentences about what limits the figures of a run. */
export const runWarnings = (
  suite: Suite,
  topics: ReadonlyArray<Topic>,
  results: ReadonlyArray<EvalResult>,
  corpusChanged: boolean
): ReadonlyArray<string> => {
  const judgedShare = meansOf(results)["judged@10"]
  const topicsWithoutRelevant = topics.filter(
    (topic) => ![...gradesOf(topic).values()].some((grade) => grade > 0)
  ).length
  return [
    ...(corpusChanged
      ? ["Documents changed while the run was under way: its topics saw different corpora."]
      : []),
    ...(topics.length < topicsMin
      ? [`${topics.length} topics show only large differences; ${topicsMin} or more are advised.`]
      : []),
    ...(judgedShare !== undefined && judgedShare < judgedShareMin
      ? [
          `Only ${Math.round(100 * judgedShare)} % of the first 10 ranks are judged (judged@10): pool this run and judge more.`
        ]
      : []),
    ...(suite === "retrieval" && topicsWithoutRelevant > 0
      ? [`${topicsWithoutRelevant} topics have no relevant document and count as 0 in every mean.`]
      : [])
  ]
}
