import { abstentionScores, aurc, brier, correctJudgedRate, ece, nextLabelClass } from "../measures/index.js"
import {
  type EvalMetrics,
  type EvalResult,
  isModelJudge,
  type JudgeCorrection,
  type Suite,
  type Topic
} from "./model.js"
import type { JudgeLabel } from "./store.js"
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

/** What a run did as far as its verdicts go; confidence is scored over the answers that were written. */
const abstentionMetrics = (results: ReadonlyArray<EvalResult>) => {
  const rows = results.map(({ expectAbstain = false, right = false, verdict = "" }) => ({
    answerable: !expectAbstain,
    verdict,
    right
  }))
  const { coverage, f1, harm, overAbstention, precision, recall, selectiveAccuracy } = abstentionScores(rows)
  const written = results.flatMap(({ confidence, metrics, right = false }) =>
    confidence === undefined || metrics["answered"] !== 1 ? [] : [{ confidence, right }]
  )
  const none = written.length === 0
  return {
    coverage,
    selectiveAccuracy,
    harm,
    precision,
    recall,
    f1,
    overAbstention,
    aurc: none ? null : aurc(written),
    ece: none ? null : ece(written),
    brier: none ? null : brier(written)
  }
}

/** Sentences about what limits the figures of a run. */
export const runWarnings = (
  suite: Suite,
  topics: ReadonlyArray<Topic>,
  results: ReadonlyArray<EvalResult>,
  corpusChanged: boolean
): ReadonlyArray<string> => {
  const judged = meansOf(results)["judged@10"]
  const without = topics.filter((topic) => ![...gradesOf(topic).values()].some((grade) => grade > 0)).length
  return [
    ...(corpusChanged
      ? ["Documents changed while the run was under way: its topics saw different corpora."]
      : []),
    ...(topics.length < topicsMin
      ? [`${topics.length} topics show only large differences; ${topicsMin} or more are advised.`]
      : []),
    ...(judged !== undefined && judged < judgedShareMin
      ? [
          `Only ${Math.round(100 * judged)} % of the first 10 ranks are judged (judged@10): pool this run and judge more.`
        ]
      : []),
    ...(suite === "retrieval" && without > 0
      ? [`${without} topics have no relevant document and count as 0 in every mean.`]
      : [])
  ]
}

/** Labels of a set by place, the person's apart from those of models. */
const labelsByPlace = (labels: ReadonlyArray<JudgeLabel>) => {
  const places = new Map<string, { person: JudgeLabel | null; models: Map<string, number> }>()
  for (const label of labels) {
    const key = `${label.queryId}\n${label.docId}`
    const place = places.get(key) ?? { person: null, models: new Map<string, number>() }
    places.set(key, place)
    if (isModelJudge(label.judge)) place.models.set(label.judge, label.grade)
    else if (place.person === null || label.updatedAt >= place.person.updatedAt) place.person = label
  }
  return places
}

/** How a model judged against people: counts of a two-by-two table, relevant from grade 1 on. */
const calibrationOf = (places: ReturnType<typeof labelsByPlace>, judge: string) => {
  const counts = { truePositive: 0, positives: 0, trueNegative: 0, negatives: 0 }
  for (const { models, person } of places.values()) {
    const grade = models.get(judge)
    if (person === null || grade === undefined) continue
    if (person.grade >= 1) {
      counts.positives += 1
      if (grade >= 1) counts.truePositive += 1
    } else {
      counts.negatives += 1
      if (grade < 1) counts.trueNegative += 1
    }
  }
  return counts
}

/** Results among the first ten ranks whose judgment is a model's. */
const judgedBy = (judge: string, topics: ReadonlyArray<Topic>, results: ReadonlyArray<EvalResult>) => {
  const rankings = new Map(
    results.map(({ queryId, ranking }) => [queryId, new Set<string>(ranking.slice(0, 10))])
  )
  const judged = topics.flatMap(({ judgments, queryId }) =>
    judgments.filter((one) => one.judge === judge && rankings.get(queryId)?.has(one.docId) === true)
  )
  return { n: judged.length, positive: judged.filter(({ grade }) => grade >= 1).length }
}

/** For each model that judged: the share of its judged results that are relevant, raw and corrected. */
export const judgeCorrections = (
  topics: ReadonlyArray<Topic>,
  results: ReadonlyArray<EvalResult>,
  labels: ReadonlyArray<JudgeLabel>
): ReadonlyArray<JudgeCorrection> => {
  const judges = new Set(
    topics.flatMap(({ judgments }) => judgments.map(({ judge }) => judge)).filter(isModelJudge)
  )
  const places = labelsByPlace(labels)
  return [...judges].sort().flatMap((judge) => {
    const judged = judgedBy(judge, topics, results)
    if (judged.n === 0) return []
    const calibration = calibrationOf(places, judge)
    const { negatives, positives, trueNegative, truePositive } = calibration
    const { corrected, interval, raw } = correctJudgedRate({ judged, calibration })
    return [
      {
        metric: "relevant share of judged results at 10",
        judge,
        raw,
        corrected,
        interval: interval === null ? null : [interval[0], interval[1]],
        sensitivity: positives === 0 ? null : truePositive / positives,
        specificity: negatives === 0 ? null : trueNegative / negatives,
        labels: positives + negatives
      } satisfies JudgeCorrection
    ]
  })
}

/** Which of a model's judgments a person should check next: those of the class that narrows the interval most. */
export const nextToCheck = (
  judge: string,
  topics: ReadonlyArray<Topic>,
  results: ReadonlyArray<EvalResult>,
  labels: ReadonlyArray<JudgeLabel>
): "positive" | "negative" =>
  nextLabelClass({
    judged: judgedBy(judge, topics, results),
    calibration: calibrationOf(labelsByPlace(labels), judge)
  })
