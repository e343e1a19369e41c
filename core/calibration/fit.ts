import { clip, confidenceOf, type FeatureValues, priorOf, vectorOf } from "./confidence.js"
import { fitIsotonic } from "./isotonic.js"
import { type Example, fitStandardised, logisticValue } from "./logistic.js"
import { measuresOf } from "./measures.js"
import type { Artefact, Fingerprint, Knots, Logistic } from "./model.js"
import {
  certify,
  conformalThreshold,
  gridRows,
  type RiskItem,
  riskGrid,
  startOf,
  upperBound
} from "./risk.js"
import { normaliseForSplit, splitQuestions } from "./split.js"

/** A question that was asked, and what was found about its answer. */
export interface CalibrationItem {
  readonly question: string
  /** Every feature and indicator by name. */
  readonly features: FeatureValues
  /** The question has an answer in the documents. */
  readonly answerable: boolean
  /** An answer was given. */
  readonly answered: boolean
  /** It was given, the question has one, and it is right. */
  readonly right: boolean
  /** The verdict is `answer` when no confidence is asked for. */
  readonly clean: boolean
}

export interface CalibrationPlan {
  /** Id of the list that the names are from. */
  readonly featuresId: string
  readonly names: ReadonlyArray<string>
  /** Those of them that are known before an answer is written. */
  readonly priorNames: ReadonlyArray<string>
  readonly alpha: number
  readonly delta: number
  readonly seed: string
  readonly fingerprint: Fingerprint
  readonly dataset: string
}

/** Strength of the penalty on the weights. */
const l2 = 1
const folds = 5
/** From so many answers, with so many of each kind, there is enough to fit a curve through. */
const isotonicMin = { items: 200, each: 30 } as const
/** Fewer right or fewer wrong answers in a half say nothing. */
export const calibrationEachMin = 5
/** Share of the right answers that the judgment before an answer may cost. */
const priorLossMax = 0.02
/** Where nothing is certified: as likely right as wrong. */
export const uncertifiedThreshold = 0.5

/** Why nothing could be fitted: `kind` of answer of which a `half` holds too few. */
export interface TooFew {
  readonly half: "fit" | "calibrate"
  readonly kind: "right" | "wrong"
  readonly found: number
}

/**
 * Fits on one half of the questions and certifies on the other: features to a logistic value, where there is enough
 * to a curve, then a threshold that fixed-sequence testing certifies. The calibration half takes part in nothing
 * before the certificate, on which its guarantee rests. Depends on the questions, not on their order. Pure.
 */
export const fitCalibration = (
  given: ReadonlyArray<CalibrationItem>,
  plan: CalibrationPlan,
  sha256: (text: string) => string
): Artefact | TooFew => {
  const items = [...given].sort((a, b) => compare(a.question, b.question))
  const split = splitQuestions(
    items.map(({ question }) => question),
    plan.seed,
    sha256
  )
  const at = (places: ReadonlyArray<number>) => places.flatMap((place) => items[place] ?? [])
  const [fit, calibrate] = [at(split.fit), at(split.calibrate)]
  const few = tooFew(fit, "fit") ?? tooFew(calibrate, "calibrate")
  if (few !== null) return few
  const scored = { ...scoreOf(fit, plan, sha256), prior: fitPrior(fit, plan) }
  const riskItems = (half: ReadonlyArray<CalibrationItem>): ReadonlyArray<RiskItem> =>
    half.map(({ clean, features, right }) => ({
      right,
      confidence: confidenceOf(scored, features),
      answers: clean && (scored.prior === null || (priorOf(scored, features) ?? 1) >= scored.prior.threshold)
    }))
  const answered = calibrate.filter((item) => item.answered)
  return {
    format: 1,
    features: plan.featuresId,
    ...scored,
    risk: certificateOf(riskItems(fit), riskItems(calibrate), plan),
    seed: plan.seed,
    fitted: fit.length,
    calibrated: calibrate.length,
    measures: measuresOf(
      answered.map(({ features, right }) => ({ right, confidence: confidenceOf(scored, features) }))
    ),
    fingerprint: plan.fingerprint,
    dataset: plan.dataset
  }
}

const tooFew = (half: ReadonlyArray<CalibrationItem>, name: TooFew["half"]): TooFew | null => {
  const answered = half.filter((item) => item.answered)
  const right = answered.filter((item) => item.right).length
  const wrong = answered.length - right
  if (right < calibrationEachMin) return { half: name, kind: "right", found: right }
  return wrong < calibrationEachMin ? { half: name, kind: "wrong", found: wrong } : null
}

/** The score of given answers: a logistic model, and a curve over values that were not fitted on. */
const scoreOf = (
  fit: ReadonlyArray<CalibrationItem>,
  { names, seed }: CalibrationPlan,
  sha256: (text: string) => string
): Pick<Artefact, "model" | "knots" | "least" | "most"> => {
  const rows = fit.flatMap(({ answered, features, question, right }) =>
    answered ? [{ features: vectorOf(names, features), right, question }] : []
  )
  const model = fitStandardised(names, rows, l2)
  return {
    model: roundModel(model),
    knots: curveOf(rows, (question) => foldOf(question, seed, sha256), names),
    ...boundsOf(rows.length)
  }
}

/** A confidence is at least 1 / (n + 2) away from certainty (Laplace's rule of succession). */
const boundsOf = (n: number) => ({ least: 1 / (n + 2), most: 1 - 1 / (n + 2) })

const foldOf = (question: string, seed: string, sha256: (text: string) => string): number =>
  Number.parseInt(sha256(`fold ${seed}${normaliseForSplit(question)}`).slice(0, 6), 16) % folds

/** Isotonic regression on values of models that did not see their question. */
const curveOf = (
  rows: ReadonlyArray<Example & { readonly question: string }>,
  fold: (question: string) => number,
  names: ReadonlyArray<string>
): Knots | null => {
  const right = rows.filter((row) => row.right).length
  if (rows.length < isotonicMin.items || Math.min(right, rows.length - right) < isotonicMin.each) return null
  const placed = rows.map((row) => ({ row, fold: fold(row.question) }))
  const points = Array.from({ length: folds }, (_, held) => {
    const model = fitStandardised(
      names,
      placed.filter((one) => one.fold !== held).map(({ row }) => row),
      l2
    )
    return placed
      .filter((one) => one.fold === held)
      .map(({ row }) => ({ x: logisticValue(model, row.features), y: row.right ? 1 : 0 }))
  })
  return fitIsotonic(points.flat())
}

/** Whether a question is answerable, from what is known before an answer is written. */
const fitPrior = (
  fit: ReadonlyArray<CalibrationItem>,
  { priorNames }: CalibrationPlan
): Artefact["prior"] => {
  const rows = fit.map(({ answerable, features }) => ({
    features: vectorOf(priorNames, features),
    right: answerable
  }))
  const answerable = rows.filter(({ right }) => right).length
  if (Math.min(answerable, rows.length - answerable) < calibrationEachMin) return null
  const model = roundModel(fitStandardised(priorNames, rows, l2))
  const bounds = boundsOf(rows.length)
  const ofRight = fit.flatMap(({ features, right }) =>
    right ? [clip(logisticValue(model, vectorOf(priorNames, features)), bounds.least, bounds.most)] : []
  )
  const threshold = riskGrid.find(
    (level) => ofRight.filter((value) => value < level).length <= priorLossMax * ofRight.length
  )
  return { ...model, ...bounds, threshold: threshold ?? 0 }
}

const certificateOf = (
  fit: ReadonlyArray<RiskItem>,
  calibrate: ReadonlyArray<RiskItem>,
  { alpha, delta }: CalibrationPlan
): Artefact["risk"] => {
  const start = startOf(gridRows(fit, riskGrid, alpha))
  const rows = gridRows(calibrate, riskGrid, alpha)
  const passed = certify(rows, start, delta)
  const threshold = passed?.threshold ?? uncertifiedThreshold
  const { answered, wrong } = passed ?? rows.find((row) => row.threshold === threshold) ?? none
  return {
    alpha,
    delta,
    grid: [...riskGrid],
    start,
    threshold,
    certified: passed !== null,
    answered,
    wrong,
    bound: upperBound(wrong, answered, delta),
    conformalThreshold: conformalThreshold(rows, calibrate.length, alpha)
  }
}

const none = { answered: 0, wrong: 0 } as const

/** Twelve digits carry everything that questions can tell, and read the same wherever they were computed. */
const rounded = (value: number): number => Number(value.toPrecision(12))

const roundModel = ({ deviations, intercept, means, names, weights }: Logistic): Logistic => ({
  names,
  means: means.map(rounded),
  deviations: deviations.map(rounded),
  weights: weights.map(rounded),
  intercept: rounded(intercept)
})

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
