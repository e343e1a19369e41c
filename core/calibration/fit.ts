import {
  confidenceOf,
  type FeatureValues,
  jointValue,
  logit,
  presenceFor,
  priorOf,
  vectorOf
} from "./confidence.js"
import { fitLogistic, fitStandardised } from "./logistic.js"
import { measuresOf } from "./measures.js"
import type { Artefact, Fingerprint, Logistic, Scale } from "./model.js"
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

/** A judged question for calibration. */
export interface CalibrationItem {
  readonly question: string
  /** Every feature and indicator by name. */
  readonly features: FeatureValues
  /** Whether the documents answer the question. */
  readonly answerable: boolean
  /** Whether an answer was given. */
  readonly answered: boolean
  /** Whether an answer was given and is right. */
  readonly right: boolean
  /** Whether the verdict is `answer` when no confidence is required. */
  readonly clean: boolean
  /** Whether the passages with the answer were withheld, to learn what their absence looks like. */
  readonly withheld?: boolean
}

export interface CalibrationPlan {
  /** Id of the feature list. */
  readonly featuresId: string
  readonly names: ReadonlyArray<string>
  /** Features known before an answer is written. */
  readonly priorNames: ReadonlyArray<string>
  /** Features known only of an answer. */
  readonly answerNames: ReadonlyArray<string>
  /** Features that indicate whether the documents cover the question at all. */
  readonly presenceNames: ReadonlyArray<string>
  /** Presence model to use if no question was asked with withheld passages. */
  readonly presence?: Logistic | undefined
  readonly alpha: number
  readonly delta: number
  readonly seed: string
  readonly fingerprint: Fingerprint
  readonly dataset: string
}

/** L2 penalty on the weights. */
const l2 = 3
const folds = 5
/** Minimum number of questions for scaling; with fewer, a scale is not reliable. */
const scaledMin = 50
/** Almost none, because only two numbers are fitted. */
const scaleL2 = 0.01
/**
 * Prior odds of presence: questions are asked with and without their passages equally often here, but people ask
 * about three answerable ones for each other.
 */
const presentOdds = 3
/** Minimum number of right and of wrong answers in each half. */
export const calibrationEachMin = 5
/** Maximum share of right answers that the decision before an answer may lose. */
const priorLossMax = 0.02
/** Threshold without a certificate. */
export const uncertifiedThreshold = 0.5

/** Why nothing was fitted: a `half` has too few answers of a `kind`. */
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
  given: ReadonlyArray<CalibrationItem>,
  plan: CalibrationPlan,
  sha256: (text: string) => string
): Artefact | TooFew => {
  const items = given
    .filter(({ withheld }) => withheld !== true)
    .sort((a, b) => compare(a.question, b.question))
  const split = splitQuestions(
    items.map(({ question }) => question),
    plan.seed,
    sha256
  )
  const at = (places: ReadonlyArray<number>) => places.flatMap((place) => items[place] ?? [])
  const [fit, calibrate] = [at(split.fit), at(split.calibrate)]
  const few = tooFew(fit, "fit") ?? tooFew(calibrate, "calibrate")
  if (few !== null) return few
  const presence = fitPresence(fit, given, plan) ?? plan.presence
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

/** Fits whether the passages with the answer were present or withheld; undefined if none were withheld. */
const fitPresence = (
  fit: ReadonlyArray<CalibrationItem>,
  given: ReadonlyArray<CalibrationItem>,
  { presenceNames }: CalibrationPlan
): Logistic | undefined => {
  const asked = new Map(fit.map((item) => [normaliseForSplit(item.question), item]))
  const withheld = given.filter(
    ({ question, withheld: isWithheld }) => isWithheld === true && asked.has(normaliseForSplit(question))
  )
  const present = fit.filter(({ answerable }) => answerable)
  if (Math.min(withheld.length, present.length) < calibrationEachMin) return undefined
  const rows = [...present, ...withheld].map((item) => ({
    features: vectorOf(presenceNames, item.features),
    right: item.withheld !== true
  }))
  const model = roundModel(fitStandardised(presenceNames, rows, l2))
  const odds = Math.log((presentOdds * withheld.length) / present.length)
  return { ...model, intercept: rounded(model.intercept + odds) }
}

/** The functions that compute scores. */
interface Scorer {
  readonly plan: CalibrationPlan
  readonly presence: Logistic | undefined
  readonly fold: (question: string) => number
}

/** Fitted models before scaling. */
interface Models {
  /** Whether the documents answer the question; null if too few or nearly all do. */
  readonly said: Logistic | null
  /** Whether an answer is right; if `isFactor`, given that the question is answerable. */
  readonly model: Logistic
  readonly isFactor: boolean
}

/**
 * Fits the models. The prior, learned from all questions, is whether the documents answer them. Given that, whether
 * the answer is right is learned from answered questions with an answer, or from all answers if these are too few.
 */
const modelsOf = (items: ReadonlyArray<CalibrationItem>, plan: CalibrationPlan): Models => {
  const asked = items.map((item) => ({ item, right: item.answerable }))
  const given = items.flatMap((item) => (item.answered ? [{ item, right: item.right }] : []))
  const sayable = given.filter(({ item }) => item.answerable)
  const saidModel = hasBoth(asked) ? fitModel(asked, plan.priorNames) : null
  return saidModel !== null && hasBoth(sayable)
    ? { said: saidModel, model: fitModel(sayable, plan.answerNames), isFactor: true }
    : { said: saidModel, model: fitModel(given, plan.names), isFactor: false }
}

/** A training row: an item and its label. */
interface LabelledItem {
  readonly item: CalibrationItem
  readonly right: boolean
}

const hasBoth = (rows: ReadonlyArray<LabelledItem>): boolean => {
  const right = rows.filter((row) => row.right).length
  return Math.min(right, rows.length - right) >= calibrationEachMin
}

const fitModel = (rows: ReadonlyArray<LabelledItem>, names: ReadonlyArray<string>): Logistic =>
  roundModel(
    fitStandardised(
      names,
      rows.map(({ item, right }) => ({ features: vectorOf(names, item.features), right })),
      l2
    )
  )

/** Fits the models and scales them to the observed accuracy. */
const fitScores = (
  fit: ReadonlyArray<CalibrationItem>,
  { fold, plan, presence }: Scorer
): Pick<Artefact, "presence" | "factors" | "model" | "scale" | "knots" | "least" | "most" | "prior"> => {
  const { isFactor, model, said } = modelsOf(fit, plan)
  const answered = fit.filter((item) => item.answered)
  const unseen = Array.from({ length: folds }, (_, held) => {
    const others = modelsOf(
      fit.filter(({ question }) => fold(question) !== held),
      plan
    )
    return answered
      .filter(({ question }) => fold(question) === held)
      .map(({ features, right }) => {
        const before = [others.said ?? undefined, presenceFor(presence, features)]
        const whole = [others.model, ...(others.isFactor ? before : before.slice(1))]
        return { right, whole: jointValue(whole, features), before: jointValue(before, features) }
      })
  }).flat()
  const scale = scaleOf(unseen.map(({ right, whole }) => ({ right, value: whole })))
  const prior =
    said === null
      ? null
      : {
          ...said,
          ...scaleOf(unseen.map(({ before, right }) => ({ right, value: before }))),
          ...boundsOf(fit.length)
        }
  return {
    ...(presence === undefined ? {} : { presence }),
    factors: [
      ...(presence === undefined ? [] : ["presence" as const]),
      ...(isFactor ? ["prior" as const] : [])
    ],
    model,
    ...scale,
    knots: null,
    ...boundsOf(answered.length),
    prior: prior === null ? null : { ...prior, threshold: priorThreshold(fit, prior, presence) }
  }
}

/** Returns the bounds of a confidence, at least 1 / (n + 2) from 0 and 1 (Laplace's rule of succession). */
const boundsOf = (n: number) => ({ least: 1 / (n + 2), most: 1 - 1 / (n + 2) })

const foldOf = (question: string, seed: string, sha256: (text: string) => string): number =>
  Number.parseInt(sha256(`fold ${seed}${normaliseForSplit(question)}`).slice(0, 6), 16) % folds

/**
 * Scales out-of-sample values (Platt, "Probabilistic Outputs for Support Vector Machines", 1999). Strictly
 * increasing, so it makes no ties, unlike a step function.
 */
const scaleOf = (
  values: ReadonlyArray<{ readonly value: number; readonly right: boolean }>
): { readonly scale?: Scale } => {
  if (values.length < scaledMin) return {}
  const rows = values.map(({ right, value }) => ({ right, features: [logit(value)] }))
  const { intercept, weights } = fitLogistic(rows, scaleL2)
  const [slope = 0] = weights
  const share = values.filter(({ right }) => right).length / values.length
  // A falling scale carries no information; all answers then get the same confidence.
  return slope > 0
    ? { scale: { slope: rounded(slope), intercept: rounded(intercept) } }
    : { scale: { slope: 0, intercept: rounded(logit(share)) } }
}

/** Returns the highest grid threshold that loses at most `priorLossMax` of the right answers. */
const priorThreshold = (
  fit: ReadonlyArray<CalibrationItem>,
  prior: Omit<NonNullable<Artefact["prior"]>, "threshold">,
  presence: Logistic | undefined
): number => {
  const artefact = {
    prior: { ...prior, threshold: 0 },
    ...(presence === undefined ? {} : { presence })
  }
  const ofRight = fit.flatMap(({ features, right }) => (right ? [priorOf(artefact, features) ?? 0] : []))
  return (
    riskGrid.find(
      (level) => ofRight.filter((value) => value < level).length <= priorLossMax * ofRight.length
    ) ?? 0
  )
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

/** Rounds to twelve digits, which is more than the data supports and gives equal values on every platform. */
const rounded = (value: number): number => Number(value.toPrecision(12))

const roundModel = ({ deviations, intercept, means, names, weights }: Logistic): Logistic => ({
  names,
  means: means.map(rounded),
  deviations: deviations.map(rounded),
  weights: weights.map(rounded),
  intercept: rounded(intercept)
})

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
