import {
  citationScores,
  correctJudgedRate,
  type JudgedCounts,
  nextLabelClass,
  predictionPoweredMean
} from "../../answers/measures/index.js"
import { type EvalClaim, type EvalResult, isModelJudge, type JudgeCorrection, type Topic } from "./model.js"
import { rankingMetrics, rankingScores } from "./score-topic.js"
import type { JudgeLabel } from "./store.js"

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

/** Agreement of a model with people: counts of a two-by-two table, relevant from grade 1 on. */
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
  const ofJudge = topics.flatMap(({ judgments, queryId }) =>
    judgments.filter((one) => one.judge === judge && rankings.get(queryId)?.has(one.docId) === true)
  )
  return { n: ofJudge.length, positive: ofJudge.filter(({ grade }) => grade >= 1).length }
}

/**
 * Every figure of a run that a judge other than a person has a hand in, raw and corrected: rankings scored with the
 * judgments of a model, and what the judge of the run says of claims, once a person has labelled some of them.
 */
export const judgeCorrections = (
  topics: ReadonlyArray<Topic>,
  results: ReadonlyArray<EvalResult>,
  labels: ReadonlyArray<JudgeLabel>,
  claimJudge: string
): ReadonlyArray<JudgeCorrection> => {
  const judges = new Set(
    topics.flatMap(({ judgments }) => judgments.map(({ judge }) => judge)).filter(isModelJudge)
  )
  const places = labelsByPlace(labels)
  return [
    ...[...judges].sort().flatMap((judge) => {
      const judgeCounts = judgedBy(judge, topics, results)
      return [
        ...(judgeCounts.n === 0
          ? []
          : [
              correctedShare("relevant share of judged results at 10", judge, {
                judged: judgeCounts,
                calibration: calibrationOf(places, judge)
              })
            ]),
        ...correctedRankings(judge, topics, results, places)
      ]
    }),
    ...correctedClaims(claimJudge, results)
  ]
}

const correctedShare = (metric: string, judge: string, counts: JudgedCounts): JudgeCorrection => {
  const { negatives, positives, trueNegative, truePositive } = counts.calibration
  const { corrected, interval, raw } = correctJudgedRate(counts)
  return {
    metric,
    judge,
    raw,
    corrected,
    interval: interval === null ? null : [interval[0], interval[1]],
    sensitivity: positives === 0 ? null : truePositive / positives,
    specificity: negatives === 0 ? null : trueNegative / negatives,
    labels: positives + negatives
  }
}

/** A topic as the judge scores it, and as people do where they judged all that the judge did. */
interface JudgedTopic {
  readonly predicted: number
  readonly label: number | null
}

/** Least topics of each kind, with and without labels, that prediction-powered inference takes. */
const eachKindMin = 2

const correctedMean = (
  metric: string,
  judge: string,
  topics: ReadonlyArray<JudgedTopic>
): JudgeCorrection => {
  const labelled = topics.flatMap(({ label, predicted }) => (label === null ? [] : [{ label, predicted }]))
  const rest = topics.flatMap(({ label, predicted }) => (label === null ? [predicted] : []))
  const powered =
    labelled.length < eachKindMin || rest.length < eachKindMin ? null : predictionPoweredMean(labelled, rest)
  const within = (value: number): number => Math.min(1, Math.max(0, value))
  return {
    metric,
    judge,
    raw: topics.reduce((sum, { predicted }) => sum + predicted, 0) / topics.length,
    corrected: powered === null ? null : within(powered.estimate),
    interval: powered === null ? null : powered.interval.map(within),
    sensitivity: null,
    specificity: null,
    labels: labelled.length
  }
}

/** Ranking metrics over the topics in which the model judged something. */
const correctedRankings = (
  judge: string,
  topics: ReadonlyArray<Topic>,
  results: ReadonlyArray<EvalResult>,
  places: ReturnType<typeof labelsByPlace>
): ReadonlyArray<JudgeCorrection> => {
  const rankings = new Map(results.map(({ queryId, ranking }) => [queryId, ranking]))
  const scored = topics.flatMap((topic) => {
    const ranking = rankings.get(topic.queryId)
    const placeOf = (docId: string) => places.get(`${topic.queryId}\n${docId}`)
    const judgmentsOfJudge = topic.judgments.filter(({ docId }) => placeOf(docId)?.models.has(judge) === true)
    if (ranking === undefined || judgmentsOfJudge.length === 0) return []
    const byJudge = topic.judgments.map((one) => ({
      ...one,
      grade: placeOf(one.docId)?.models.get(judge) ?? one.grade
    }))
    return [
      {
        predicted: rankingScores({ ...topic, judgments: byJudge }, ranking),
        label: judgmentsOfJudge.every((one) => !isModelJudge(one.judge))
          ? rankingScores(topic, ranking)
          : null
      }
    ]
  })
  if (scored.length === 0) return []
  return rankingMetrics
    .filter((name) => !name.startsWith("judged@") && !name.startsWith("rbp_residual"))
    .map((name) =>
      correctedMean(
        name,
        judge,
        scored.map(({ label, predicted }) => ({
          predicted: predicted[name] ?? 0,
          label: label === null ? null : (label[name] ?? 0)
        }))
      )
    )
}

/** Groundedness and citation scores, from the labels of claims; nothing while there is none. */
const correctedClaims = (
  judge: string,
  results: ReadonlyArray<EvalResult>
): ReadonlyArray<JudgeCorrection> => {
  const answers = results.filter(({ claims = [] }) => claims.length > 0)
  const claims = answers.flatMap(({ claims: ofAnswer = [] }) => ofAnswer)
  if (!claims.some(({ label }) => label !== undefined)) return []
  const means = (["groundedness", "citationPrecision", "citationRecall"] as const).map((name) =>
    correctedMean(
      name === "groundedness" ? "groundednessMacro" : name,
      judge,
      answers.map(({ claims: ofAnswer = [], metrics }) => ({
        predicted: metrics[name] ?? 0,
        label: labelledScores(ofAnswer)?.[name] ?? null
      }))
    )
  )
  return [correctedShare("groundedness", judge, claimCounts(claims)), ...means]
}

/** Returns citation precision and recall of an answer by people's labels; null unless every claim has a label. */
const labelledScores = (claims: ReadonlyArray<EvalClaim>) => {
  const sentences = claims.flatMap(({ citations, label }) =>
    label === undefined
      ? []
      : [{ citations: citations.map(({ id }) => id), supportedBy: [[...label.supportedBy]] }]
  )
  if (sentences.length < claims.length) return null
  const { precision, recall } = citationScores(sentences)
  const supported = claims.filter(({ label }) => (label?.supportedBy.length ?? 0) > 0).length
  return { groundedness: supported / claims.length, citationPrecision: precision, citationRecall: recall }
}

/** Returns the judge's verdicts on the claims, and its agreement with labelled ones. */
const claimCounts = (claims: ReadonlyArray<EvalClaim>): JudgedCounts => {
  const calibration = { truePositive: 0, positives: 0, trueNegative: 0, negatives: 0 }
  for (const { label, verified } of claims) {
    if (label === undefined) continue
    const isSupported = label.supportedBy.length > 0
    calibration[isSupported ? "positives" : "negatives"] += 1
    if (verified === isSupported) calibration[isSupported ? "truePositive" : "trueNegative"] += 1
  }
  return {
    judged: { n: claims.length, positive: claims.filter(({ verified }) => verified).length },
    calibration
  }
}

/**
 * Returns the class of claims that a person should label next: those that the judge verified, or those that it did not.
 */
export const nextClaimClass = (results: ReadonlyArray<EvalResult>): "positive" | "negative" =>
  nextLabelClass(claimCounts(results.flatMap(({ claims = [] }) => claims)))

/** Returns the class of a model's judgments that a person should check next: the one that narrows the interval most. */
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
