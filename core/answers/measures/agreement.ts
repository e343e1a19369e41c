import { normal975 } from "./distributions.js"

/**
 * Cohen's kappa of two judges over the same items: agreement beyond chance, at most 1. 1 when both gave every item
 * the same one label.
 *
 * Source: Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20, 1960.
 *
 * @throws RangeError when the judges labelled different numbers of items, or none.
 */
export const cohenKappa = <Label extends string | number | boolean>(
  a: ReadonlyArray<Label>,
  b: ReadonlyArray<Label>
): number => {
  if (a.length !== b.length || a.length === 0)
    throw new RangeError("Both judges must have labelled the same items.")
  const n = a.length
  const agreed = a.filter((label, at) => label === b[at]).length / n
  const expected = [...new Set(a)].reduce(
    (sum, label) => sum + (countOf(a, label) / n) * (countOf(b, label) / n),
    0
  )
  return expected === 1 ? 1 : (agreed - expected) / (1 - expected)
}

const countOf = <Label>(labels: ReadonlyArray<Label>, label: Label): number =>
  labels.filter((one) => one === label).length

/** Labels that judges gave one item; null or a hole where a judge gave none. */
export type RatedUnit = ReadonlyArray<number | string | null | undefined>

/**
 * Krippendorff's alpha over any number of judges and missing labels: 1 - observed / expected disagreement. Ordinal and
 * interval labels are numbers. 1 when all labels are equal; NaN when no unit has two labels.
 *
 * Source: Krippendorff, "Computing Krippendorff's alpha-reliability", 2011.
 */
export const krippendorffAlpha = (
  units: ReadonlyArray<RatedUnit>,
  { level }: { readonly level: "nominal" | "ordinal" | "interval" }
): number => {
  const coincidences = new Map<string | number, Map<string | number, number>>()
  const totals = new Map<string | number, number>()
  let pairable = 0
  for (const unit of units) {
    const labels = unit.filter((label): label is string | number => label !== null && label !== undefined)
    if (labels.length < 2) continue
    pairable += labels.length
    for (const [at, label] of labels.entries()) {
      totals.set(label, (totals.get(label) ?? 0) + 1)
      const row = coincidences.get(label) ?? new Map<string | number, number>()
      coincidences.set(label, row)
      for (const [place, other] of labels.entries())
        if (place !== at) row.set(other, (row.get(other) ?? 0) + 1 / (labels.length - 1))
    }
  }
  if (pairable === 0) return Number.NaN
  const distance = distances(totals, level)
  let [observed, expected] = [0, 0]
  for (const [label, count] of totals) {
    for (const [other, otherCount] of totals) {
      const apart = distance(label, other)
      observed += (coincidences.get(label)?.get(other) ?? 0) * apart
      expected += (count * otherCount * apart) / (pairable - 1)
    }
  }
  return expected === 0 ? 1 : 1 - observed / expected
}

const distances = (
  totals: ReadonlyMap<string | number, number>,
  level: "nominal" | "ordinal" | "interval"
) => {
  if (level === "nominal") return (a: string | number, b: string | number) => (a === b ? 0 : 1)
  if (level === "interval") return (a: string | number, b: string | number) => (Number(a) - Number(b)) ** 2
  const ordered = [...totals.keys()].sort((a, b) => Number(a) - Number(b))
  const middle = new Map<string | number, number>()
  let below = 0
  for (const label of ordered) {
    const count = totals.get(label) ?? 0
    middle.set(label, below + count / 2)
    below += count
  }
  // The squared count of labels between two, with half of each end.
  return (a: string | number, b: string | number) => ((middle.get(a) ?? 0) - (middle.get(b) ?? 0)) ** 2
}

/** Counts of a judge's verdicts on unlabelled items, and its agreement with people on labelled items. */
export interface JudgedCounts {
  readonly judged: { readonly positive: number; readonly n: number }
  readonly calibration: {
    /** Items that people called positive and the judge too, of `positives`. */
    readonly truePositive: number
    readonly positives: number
    /** Items that people called negative and the judge too, of `negatives`. */
    readonly trueNegative: number
    readonly negatives: number
  }
}

/** A rate that a judge found, before and after the correction for the judge's errors. */
export interface CorrectedRate {
  readonly raw: number
  /** Null when the judge does no better than chance, or one class has no label: nothing can be said then. */
  readonly corrected: number | null
  /** 95 %, from the spread of the judged items and of the calibration labels. */
  readonly interval: readonly [number, number] | null
}

/**
 * Corrects the rate that a model judge found by its sensitivity and specificity against people's labels:
 * (raw + specificity - 1) / (sensitivity + specificity - 1), cut to [0, 1].
 *
 * Sources: Rogan and Gladen, "Estimating prevalence from the results of a screening test", American Journal of
 * Epidemiology 107(1), 1978 (estimate); Lang and Reiczigel, "Confidence limits for prevalence of disease adjusted for
 * estimated sensitivity and specificity", Preventive Veterinary Medicine 113(1), 2014 (interval); Lee et al., "How to
 * correctly report LLM-as-a-judge evaluations", 2025 (both, for judges).
 */
export const correctJudgedRate = ({ calibration, judged }: JudgedCounts): CorrectedRate => {
  const raw = judged.n === 0 ? 0 : judged.positive / judged.n
  const { negatives, positives, trueNegative, truePositive } = calibration
  if (judged.n === 0 || positives === 0 || negatives === 0) return { raw, corrected: null, interval: null }
  const [sensitivity, specificity] = [truePositive / positives, trueNegative / negatives]
  const gain = sensitivity + specificity - 1
  if (gain <= 0) return { raw, corrected: null, interval: null }
  const square = normal975 ** 2
  const rate = adjusted(judged.positive, judged.n, square)
  const sure = adjusted(truePositive, positives, 2)
  const clear = adjusted(trueNegative, negatives, 2)
  const slope = sure.share + clear.share - 1
  if (slope <= 0) return { raw, corrected: unit((raw + specificity - 1) / gain), interval: [0, 1] }
  const center = (rate.share + clear.share - 1) / slope
  const shift = 2 * square * (center * sure.variance - (1 - center) * clear.variance)
  const half =
    (normal975 *
      Math.sqrt(rate.variance + (1 - center) ** 2 * clear.variance + center ** 2 * sure.variance)) /
    slope
  return {
    raw,
    corrected: unit((raw + specificity - 1) / gain),
    interval: [unit(center + shift - half), unit(center + shift + half)]
  }
}

/** A share and its variance after half of `more` successes were added to `more` trials. */
const adjusted = (hits: number, trials: number, more: number) => {
  const share = (hits + more / 2) / (trials + more)
  return { share, variance: (share * (1 - share)) / (trials + more) }
}

const unit = (value: number): number => Math.min(1, Math.max(0, value))

/** The result of `predictionPoweredMean`: an estimated mean with its interval. */
export interface PowerTunedMean {
  readonly estimate: number
  /** 95 %. */
  readonly interval: readonly [number, number]
  /** Weight of the judge's values, 0 to 1. */
  readonly lambda: number
}

/**
 * Estimates a mean from few items labelled by people and many scored by a model, with the weight of the model tuned to
 * the data (prediction-powered inference). Needs two labelled and two unlabelled items.
 *
 * Source: Angelopoulos, Duchi and Zrnic, "PPI++: efficient prediction-powered inference", 2023.
 */
export const predictionPoweredMean = (
  labelled: ReadonlyArray<{ readonly label: number; readonly predicted: number }>,
  unlabelled: ReadonlyArray<number>
): PowerTunedMean => {
  if (labelled.length < 2 || unlabelled.length < 2)
    throw new RangeError("Two labelled and two unlabelled items are needed.")
  const [n, m] = [labelled.length, unlabelled.length]
  const labels = labelled.map(({ label }) => label)
  const predicted = labelled.map((one) => one.predicted)
  const all = [...predicted, ...unlabelled]
  const spread = covariance(all, all)
  const tuned = spread === 0 ? 0 : covariance(labels, predicted) / ((1 + n / m) * spread)
  const lambda = unit(tuned)
  const rest = labels.map((label, at) => label - lambda * (predicted[at] ?? 0))
  const estimate = mean(rest) + lambda * mean(unlabelled)
  const half =
    normal975 * Math.sqrt(covariance(rest, rest) / n + (lambda ** 2 * covariance(unlabelled, unlabelled)) / m)
  return { estimate, interval: [estimate - half, estimate + half], lambda }
}

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

const covariance = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): number => {
  const [middleA, middleB] = [mean(a), mean(b)]
  return a.reduce((sum, value, at) => sum + (value - middleA) * ((b[at] ?? 0) - middleB), 0) / (a.length - 1)
}

/**
 * Tells which class of items to label next so that the corrected rate's interval shrinks most: those that the judge
 * called positive or negative. The share of labels that belongs to positives grows with the rate and with the
 * uncertainty of the sensitivity.
 *
 * Source: the allocation of calibration labels in Lee et al., 2025 (see `correctJudgedRate`).
 */
export const nextLabelClass = (counts: JudgedCounts): "positive" | "negative" => {
  const { calibration, judged } = counts
  const shrink = (more: "positive" | "negative"): number => {
    const positives = calibration.positives + 2 + (more === "positive" ? 1 : 0)
    const negatives = calibration.negatives + 2 + (more === "negative" ? 1 : 0)
    const sure = (calibration.truePositive + 1) / (calibration.positives + 2)
    const clear = (calibration.trueNegative + 1) / (calibration.negatives + 2)
    const rate = unit(
      (judged.positive / Math.max(1, judged.n) + clear - 1) / Math.max(0.05, sure + clear - 1)
    )
    return (rate ** 2 * sure * (1 - sure)) / positives + ((1 - rate) ** 2 * clear * (1 - clear)) / negatives
  }
  return shrink("positive") <= shrink("negative") ? "positive" : "negative"
}
