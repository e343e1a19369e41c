import type { CalibrationMeasures, ReliabilityBin } from "./model.js"

/** A confidence and its outcome. */
export interface Judged {
  readonly confidence: number
  readonly right: boolean
}

const binCount = 10
const adaptiveGroups = 10

/**
 * Returns the Brier score: mean squared difference of confidence and outcome (Brier, "Verification of forecasts",
 * 1950). 0 for an empty list.
 */
export const brierOf = (items: ReadonlyArray<Judged>): number =>
  mean(items.map(({ confidence, right }) => (confidence - (right ? 1 : 0)) ** 2))

/** Returns the mean negative log likelihood in nats; probabilities are clamped to 1e-15 from 0 and 1. */
export const logLossOf = (items: ReadonlyArray<Judged>): number =>
  mean(
    items.map(({ confidence, right }) => {
      const p = Math.min(1 - 1e-15, Math.max(1e-15, confidence))
      return -Math.log(right ? p : 1 - p)
    })
  )

/** Returns the bins of a reliability diagram, left-open: the first bin i with p <= (i + 1) / bins. */
export const binsOf = (items: ReadonlyArray<Judged>, bins = binCount): ReadonlyArray<ReliabilityBin> => {
  const itemsByBin = Array.from({ length: bins }, (): Array<Judged> => [])
  for (const item of items) {
    let at = 0
    while (at < bins - 1 && item.confidence > (at + 1) / bins) at += 1
    itemsByBin[at]?.push(item)
  }
  return itemsByBin.map((group, at) => ({
    from: at / bins,
    to: (at + 1) / bins,
    count: group.length,
    confidence: group.length === 0 ? null : mean(group.map(({ confidence }) => confidence)),
    accuracy: group.length === 0 ? null : accuracyOf(group)
  }))
}

/**
 * Returns the expected calibration error: the difference of confidence and accuracy per bin, weighted by size
 * (Naeini, Cooper and Hauskrecht, "Obtaining Well Calibrated Probabilities Using Bayesian Binning", AAAI 2015).
 */
export const eceOf = (items: ReadonlyArray<Judged>, bins = binCount): number =>
  binsOf(items, bins).reduce(
    (sum, { accuracy, confidence, count }) =>
      sum + (count * Math.abs((confidence ?? 0) - (accuracy ?? 0))) / Math.max(1, items.length),
    0
  )

/** Returns the same over groups of equal size; the first ones have one more item if the division leaves a remainder. */
export const adaptiveEceOf = (items: ReadonlyArray<Judged>, groups = adaptiveGroups): number => {
  const sorted = [...items].sort((a, b) => a.confidence - b.confidence || Number(a.right) - Number(b.right))
  const [base, larger] = [Math.floor(sorted.length / groups), sorted.length % groups]
  let [at, sum] = [0, 0]
  for (let group = 0; group < groups; group++) {
    const held = sorted.slice(at, at + base + (group < larger ? 1 : 0))
    at += held.length
    if (held.length === 0) continue
    const gap = mean(held.map(({ confidence }) => confidence)) - accuracyOf(held)
    sum += (held.length * Math.abs(gap)) / sorted.length
  }
  return sum
}

/**
 * Returns the risk (share of wrong answers) among the i most confident, for i = 1..n. Tied items contribute the mean
 * risk of the tie, so input order does not matter.
 */
export const riskCoverageOf = (items: ReadonlyArray<Judged>): ReadonlyArray<number> => {
  const sorted = [...items].sort((a, b) => b.confidence - a.confidence)
  const risks: Array<number> = []
  let [at, wrong] = [0, 0]
  while (at < sorted.length) {
    const confidence = sorted[at]?.confidence
    let end = at
    while (sorted[end]?.confidence === confidence && end < sorted.length) end += 1
    const tied = sorted.slice(at, end).filter(({ right }) => !right).length
    for (let place = 1; place <= end - at; place++)
      risks.push((wrong + (tied * place) / (end - at)) / (at + place))
    wrong += tied
    at = end
  }
  return risks
}

/**
 * Returns the area under the risk-coverage curve (Geifman, Uziel and El-Yaniv, ICLR 2019): the mean of
 * `riskCoverageOf`.
 */
export const aurcOf = (items: ReadonlyArray<Judged>): number => mean(riskCoverageOf(items))

/** Returns the minimum area over all orders of these answers. */
export const optimalAurcOf = (items: ReadonlyArray<Judged>): number => {
  const right = items.filter((item) => item.right).length
  return mean(items.map((_, at) => Math.max(0, at + 1 - right) / (at + 1)))
}

/**
 * Returns the probability that a right answer has a higher confidence than a wrong one, ties half; null with one kind
 * only.
 */
export const aurocOf = (items: ReadonlyArray<Judged>): number | null => {
  const sorted = [...items].sort((a, b) => a.confidence - b.confidence)
  const positives = items.filter(({ right }) => right).length
  const negatives = items.length - positives
  if (positives === 0 || negatives === 0) return null
  let [at, below, wins] = [0, 0, 0]
  while (at < sorted.length) {
    let end = at
    while (end < sorted.length && sorted[end]?.confidence === sorted[at]?.confidence) end += 1
    const tie = sorted.slice(at, end)
    const good = tie.filter(({ right }) => right).length
    wins += good * (below + (tie.length - good) / 2)
    below += tie.length - good
    at = end
  }
  return wins / (positives * negatives)
}

/** Returns the largest coverage at an existing threshold with a risk of at most `risk`; null if there is none. */
export const coverageAtRisk = (
  items: ReadonlyArray<Judged>,
  risk: number
): { readonly coverage: number; readonly threshold: number | null } => {
  const thresholds = [...new Set(items.map(({ confidence }) => confidence))].sort((a, b) => a - b)
  for (const threshold of thresholds) {
    const held = items.filter(({ confidence }) => confidence >= threshold)
    if (1 - accuracyOf(held) <= risk + 1e-12) return { coverage: held.length / items.length, threshold }
  }
  return { coverage: 0, threshold: null }
}

/** Returns the share of right answers; 0 for an empty list. */
export const accuracyOf = (items: ReadonlyArray<Judged>): number =>
  mean(items.map(({ right }) => (right ? 1 : 0)))

/** Returns all measures. */
export const measuresOf = (items: ReadonlyArray<Judged>): CalibrationMeasures => {
  const aurc = aurcOf(items)
  return {
    brier: brierOf(items),
    logLoss: logLossOf(items),
    ece: eceOf(items),
    adaptiveEce: adaptiveEceOf(items),
    aurc,
    excessAurc: aurc - optimalAurcOf(items),
    auroc: aurocOf(items),
    accuracy: accuracyOf(items),
    bins: [...binsOf(items)]
  }
}

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
