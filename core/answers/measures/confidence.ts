/** A stated confidence, 0 to 1, and whether the answer was right. */
export interface Judged {
  readonly confidence: number
  readonly right: boolean
}

/** One bar of a reliability diagram: the answers whose confidence lies in (from, to]. */
export interface ReliabilityBin {
  readonly from: number
  readonly to: number
  readonly count: number
  /** Mean confidence; null in an empty bin. */
  readonly confidence: number | null
  /** Share of right answers; null in an empty bin. */
  readonly accuracy: number | null
}

const binCount = 10
const adaptiveGroups = 10

/** Mean squared distance of confidence and outcome (Brier, "Verification of forecasts", 1950). 0 for nothing. */
export const brier = (items: ReadonlyArray<Judged>): number =>
  mean(items.map(({ confidence, right }) => (confidence - (right ? 1 : 0)) ** 2))

/** Mean negative log likelihood in nats; probabilities are kept 1e-15 away from 0 and 1. */
export const logLoss = (items: ReadonlyArray<Judged>): number =>
  mean(
    items.map(({ confidence, right }) => {
      const p = Math.min(1 - 1e-15, Math.max(1e-15, confidence))
      return -Math.log(right ? p : 1 - p)
    })
  )

/** The bins of a reliability diagram, open on the left: the first bin i with p <= (i + 1) / bins. */
export const reliabilityBins = (
  items: ReadonlyArray<Judged>,
  bins = binCount
): ReadonlyArray<ReliabilityBin> => {
  const itemsOfBins = Array.from({ length: bins }, (): Array<Judged> => [])
  for (const item of items) {
    let at = 0
    while (at < bins - 1 && item.confidence > (at + 1) / bins) at += 1
    itemsOfBins[at]?.push(item)
  }
  return itemsOfBins.map((group, at) => ({
    from: at / bins,
    to: (at + 1) / bins,
    count: group.length,
    confidence: group.length === 0 ? null : mean(group.map(({ confidence }) => confidence)),
    accuracy: group.length === 0 ? null : accuracy(group)
  }))
}

/**
 * Expected calibration error: the distance of confidence and accuracy per bin, weighted by its questions (Naeini,
 * Cooper and Hauskrecht, "Obtaining Well Calibrated Probabilities Using Bayesian Binning", AAAI 2015).
 */
export const ece = (items: ReadonlyArray<Judged>, bins = binCount): number =>
  reliabilityBins(items, bins).reduce(
    (sum, bin) =>
      sum + (bin.count * Math.abs((bin.confidence ?? 0) - (bin.accuracy ?? 0))) / Math.max(1, items.length),
    0
  )

/** The same over groups of equal size, the first of them one larger when it does not divide. */
export const adaptiveEce = (items: ReadonlyArray<Judged>, groups = adaptiveGroups): number => {
  const sorted = [...items].sort((a, b) => a.confidence - b.confidence || Number(a.right) - Number(b.right))
  const [base, larger] = [Math.floor(sorted.length / groups), sorted.length % groups]
  let [at, sum] = [0, 0]
  for (let group = 0; group < groups; group++) {
    const itemsOfGroup = sorted.slice(at, at + base + (group < larger ? 1 : 0))
    at += itemsOfGroup.length
    if (itemsOfGroup.length === 0) continue
    const gap = mean(itemsOfGroup.map(({ confidence }) => confidence)) - accuracy(itemsOfGroup)
    sum += (itemsOfGroup.length * Math.abs(gap)) / sorted.length
  }
  return sum
}

/**
 * Risk (share of wrong answers) among the i most confident, for i = 1..n. Inside a tie each item contributes the
 * tie's mean risk, so the order of the input cannot matter.
 */
export const riskCoverage = (items: ReadonlyArray<Judged>): ReadonlyArray<number> => {
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

/** Area under the risk-coverage curve (Geifman, Uziel and El-Yaniv, ICLR 2019): the mean of `riskCoverage`. */
export const aurc = (items: ReadonlyArray<Judged>): number => mean(riskCoverage(items))

/** The least area that any order of these answers could have. */
export const optimalAurc = (items: ReadonlyArray<Judged>): number => {
  const right = items.filter((item) => item.right).length
  return mean(items.map((_, at) => Math.max(0, at + 1 - right) / (at + 1)))
}

/** Chance that a right answer has the higher confidence of the two, ties half; null with one kind only. */
export const auroc = (items: ReadonlyArray<Judged>): number | null => {
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

/** Largest coverage, at a threshold that exists, whose risk is at most `risk`; null where none is. */
export const coverageAtRisk = (
  items: ReadonlyArray<Judged>,
  risk: number
): { readonly coverage: number; readonly threshold: number | null } => {
  const thresholds = [...new Set(items.map(({ confidence }) => confidence))].sort((a, b) => a - b)
  for (const threshold of thresholds) {
    const answered = items.filter(({ confidence }) => confidence >= threshold)
    if (1 - accuracy(answered) <= risk + 1e-12) return { coverage: answered.length / items.length, threshold }
  }
  return { coverage: 0, threshold: null }
}

/** Share of right answers; 0 for nothing. */
export const accuracy = (items: ReadonlyArray<Judged>): number =>
  mean(items.map(({ right }) => (right ? 1 : 0)))

/**
 * Share of right answers among the most confident `coverage` of the answers, rounded up to whole answers; a tie at the
 * border contributes its expected share. 0 for no answers.
 */
export const selectiveAccuracy = (items: ReadonlyArray<Judged>, coverage: number): number => {
  const answered = Math.min(items.length, Math.max(1, Math.ceil(items.length * coverage - 1e-9)))
  const risk = riskCoverage(items)[answered - 1]
  return risk === undefined ? 0 : 1 - risk
}

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
