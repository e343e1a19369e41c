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
  /** Asked with the passages that carry the answer kept back: shows what their absence looks like, and no more. */
  readonly withheld?: boolean
}

export interface CalibrationPlan {
  /** Id of the list that the names are from. */
  readonly featuresId: string
  readonly names: ReadonlyArray<string>
  /** Those that are known before an answer is written. */
  readonly priorNames: ReadonlyArray<string>
  /** Those that are known only of an answer. */
  readonly answerNames: ReadonlyArray<string>
  /** Those that tell whether the documents speak of what is asked at all. */
  readonly presenceNames: ReadonlyArray<string>
  /** Tells that where no question was asked with its passages kept back. */
  readonly presence?: Logistic | undefined
  readonly alpha: number
  readonly delta: number
  readonly seed: string
  readonly fingerprint: Fingerprint
  readonly dataset: string
}

/** Strength of the penalty on the weights. */
const l2 = 3
const folds = 5
/** From so many questions on, values come true once they are scaled; on fewer a scale says nothing. */
const scaledMin = 50
/** Nearly none: two numbers are fitted. */
const scaleL2 = 0.01
/** As many passages are kept back as are there to be found; of what people ask, more is there: three to one. */
const presentOdds = 3
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

/** What the questions tell before any is asked: a right answer takes one that has an answer. Null where it suffices. */
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

/** Whether passages that carry an answer are there or were kept back; undefined where none were. */
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

/** What scores are made with. */
interface Scorer {
  readonly plan: CalibrationPlan
  readonly presence: Logistic | undefined
  readonly fold: (question: string) => number
}

/** The models that some questions gave, not yet scaled. */
interface Models {
  /** Whether the documents say what is asked; null where too few or nearly all do. */
  readonly said: Logistic | null
  /** Whether an answer is right: where `isFactor`, one to a question whose answer is there. */
  readonly model: Logistic
  readonly isFactor: boolean
}

/**
 * A prior learned from all questions: that the documents say it. An answer is right where they do and it says that,
 * which is learned from the answers to those; with too few of these from all answers at once.
 */
const modelsOf = (items: ReadonlyArray<CalibrationItem>, plan: CalibrationPlan): Models => {
  const asked = items.map((item) => ({ item, right: item.answerable }))
  const given = items.flatMap((item) => (item.answered ? [{ item, right: item.right }] : []))
  const sayable = given.filter(({ item }) => item.answerable)
  const said = hasBoth(asked) ? fitModel(asked, plan.priorNames) : null
  return said !== null && hasBoth(sayable)
    ? { said, model: fitModel(sayable, plan.answerNames), isFactor: true }
    : { said, model: fitModel(given, plan.names), isFactor: false }
}

/** A row to learn from: an item, and what is to be told of it. */
interface Told {
  readonly item: CalibrationItem
  readonly right: boolean
}

const hasBoth = (rows: ReadonlyArray<Told>): boolean => {
  const right = rows.filter((row) => row.right).length
  return Math.min(right, rows.length - right) >= calibrationEachMin
}

const fitModel = (rows: ReadonlyArray<Told>, names: ReadonlyArray<string>): Logistic =>
  roundModel(
    fitStandardised(
      names,
      rows.map(({ item, right }) => ({ features: vectorOf(names, item.features), right })),
      l2
    )
  )

/** The models, scaled to how often answers were right. */
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

/** A confidence is at least 1 / (n + 2) away from certainty (Laplace's rule of succession). */
const boundsOf = (n: number) => ({ least: 1 / (n + 2), most: 1 - 1 / (n + 2) })

const foldOf = (question: string, seed: string, sha256: (text: string) => string): number =>
  Number.parseInt(sha256(`fold ${seed}${normaliseForSplit(question)}`).slice(0, 6), 16) % folds

/**
 * Scales values of models that did not see their question (Platt, "Probabilistic Outputs for Support Vector
 * Machines", 1999). Rises throughout, so that it makes no two answers alike, as steps would.
 */
const scaleOf = (
  values: ReadonlyArray<{ readonly value: number; readonly right: boolean }>
): { readonly scale?: Scale } => {
  if (values.length < scaledMin) return {}
  const rows = values.map(({ right, value }) => ({ right, features: [logit(value)] }))
  const { intercept, weights } = fitLogistic(rows, scaleL2)
  const [slope = 0] = weights
  const share = values.filter(({ right }) => right).length / values.length
  // What points the wrong way tells nothing: then all are as likely.
  return slope > 0
    ? { scale: { slope: rounded(slope), intercept: rounded(intercept) } }
    : { scale: { slope: 0, intercept: rounded(logit(share)) } }
}

/** The highest of the grid that costs no more than `priorLossMax` of the right answers. */
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
