import {
  accuracy,
  adaptiveEce,
  aurc,
  auroc,
  brier,
  ece,
  type Judged,
  logLoss,
  optimalAurc,
  reliabilityBins
} from "../measures/index.js"
import { confidenceOf, priorOf } from "./confidence.js"
import {
  type CalibrationItem,
  type CalibrationPlan,
  calibrationEachMin,
  fitPresence,
  fitScores,
  foldOf
} from "./fit-models.js"
import type { Artefact, CalibrationMeasures } from "./model.js"
import {
  certify,
  conformalThreshold,
  gridRows,
  type RiskItem,
  riskGrid,
  startOf,
  upperBound
} from "./risk.js"
import { splitQuestions } from "./split.js"

/** Threshold without a certificate. */
export const uncertifiedThreshold = 0.5

/** Reason why nothing was fitted: a `half` has too few answers of a `kind`. */
export interface TooFew {
  readonly half: "fit" | "calibrate"
  readonly kind: "right" | "wrong"
  readonly found: number
}

/**
 * Fits a calibration on one half of the questions and certifies it on the other: a logistic model of the features, a
 * scale if there is enough data, then a threshold by fixed-sequence testing. The calibration half is used only for
 * the certificate, which its guarantee requires. Depends on the questions, not on their order. Pure.
 */
export const fitCalibration = (
  allItems: ReadonlyArray<CalibrationItem>,
  plan: CalibrationPlan,
  sha256: (text: string) => string
): Artefact | TooFew => {
  const items = allItems
    .filter(({ withheld }) => withheld !== true)
    .sort((a, b) => compare(a.question, b.question))
  const split = splitQuestions(
    items.map(({ question }) => question),
    plan.seed,
    sha256
  )
  const at = (places: ReadonlyArray<number>) => places.flatMap((place) => items[place] ?? [])
  const [fit, calibrate] = [plan.onAll === true ? items : at(split.fit), at(split.calibrate)]
  const few = tooFew(fit, "fit") ?? tooFew(calibrate, "calibrate")
  if (few !== null) return few
  const presence = fitPresence(fit, allItems, plan) ?? plan.presence
  const fold = (question: string) => foldOf(question, plan.seed, sha256)
  const scored = fitScores(fit, { plan, presence, fold })
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

/**
 * Returns what the dataset lacks before any question is asked, as a right answer needs an answerable question; null
 * if it suffices.
 */
export const tooFewAnswerable = (
  questions: ReadonlyArray<{ readonly question: string; readonly answerable: boolean }>,
  seed: string,
  sha256: (text: string) => string
): TooFew | null => {
  const split = splitQuestions(
    questions.map(({ question }) => question),
    seed,
    sha256
  )
  for (const half of ["fit", "calibrate"] as const) {
    const found = split[half].filter((place) => questions[place]?.answerable).length
    if (found < calibrationEachMin) return { half, kind: "right", found }
  }
  return null
}

const tooFew = (half: ReadonlyArray<CalibrationItem>, name: TooFew["half"]): TooFew | null => {
  const answered = half.filter((item) => item.answered)
  const right = answered.filter((item) => item.right).length
  const wrong = answered.length - right
  if (right < calibrationEachMin) return { half: name, kind: "right", found: right }
  return wrong < calibrationEachMin ? { half: name, kind: "wrong", found: wrong } : null
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

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Returns all measures. */
export const measuresOf = (items: ReadonlyArray<Judged>): CalibrationMeasures => {
  const area = aurc(items)
  return {
    brier: brier(items),
    logLoss: logLoss(items),
    ece: ece(items),
    adaptiveEce: adaptiveEce(items),
    aurc: area,
    excessAurc: area - optimalAurc(items),
    auroc: auroc(items),
    accuracy: accuracy(items),
    bins: [...reliabilityBins(items)]
  }
}
