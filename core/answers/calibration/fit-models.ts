import { type FeatureValues, jointValue, logit, presenceFor, priorOf, vectorOf } from "./confidence.js"
import { fitLogistic, fitStandardised } from "./logistic.js"
import type { Artefact, Fingerprint, Logistic, Scale } from "./model.js"
import { riskGrid } from "./risk.js"
import { normaliseForSplit } from "./split.js"

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
  /**
   * The set that it comes from, where several are pooled. Each set then counts as if as few of its questions had an
   * answer as in the hardest one, and confidences are those of the set with the fewest right answers.
   */
  readonly set?: string
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
  /** Fits on all questions instead of one half, for a calibration that is not to be certified. */
  readonly onAll?: boolean
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
/**
 * Shares of questions with an answer in a pooled set, of all and of those that get one: what the hardest set has.
 * In another workspace they are unknown, and confidence depends on them more than on any feature.
 */
const [askedShare, answeredShare] = [0.5, 0.55]
/** Minimum number of right and of wrong answers in each half. */
export const calibrationEachMin = 5
/** Maximum share of right answers that the decision before an answer may lose. */
const priorLossMax = 0.02
/** Fits whether the passages with the answer were present or withheld; undefined if none were withheld. */
export const fitPresence = (
  fit: ReadonlyArray<CalibrationItem>,
  given: ReadonlyArray<CalibrationItem>,
  { presenceNames }: CalibrationPlan
): Logistic | undefined => {
  const itemByQuestion = new Map(fit.map((item) => [normaliseForSplit(item.question), item]))
  const withheld = given.filter(
    ({ question, withheld: isWithheld }) =>
      isWithheld === true && itemByQuestion.has(normaliseForSplit(question))
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
  const weigh = weightFor(items, askedShare)
  const labelled = items.map((item) => ({ item, right: item.answerable, weight: weigh(item) }))
  const given = items.flatMap((item) => (item.answered ? [{ item, right: item.right }] : []))
  const sayable = given.filter(({ item }) => item.answerable)
  const saidModel = hasBoth(labelled) ? fitModel(labelled, plan.priorNames) : null
  return saidModel !== null && hasBoth(sayable)
    ? { said: saidModel, model: fitModel(sayable, plan.answerNames), isFactor: true }
    : { said: saidModel, model: fitModel(given, plan.names), isFactor: false }
}

/** A training row: an item, its label, and how many rows it stands for. */
interface LabelledItem {
  readonly item: CalibrationItem
  readonly right: boolean
  readonly weight?: number
}

/**
 * Returns the weight of an item with which this share of the questions of its set has an answer, without a change of
 * the set's size; 1 for an item without a set.
 */
const weightFor = (
  items: ReadonlyArray<CalibrationItem>,
  share: number
): ((item: CalibrationItem) => number) => {
  const counts = new Map<string, { all: number; answerable: number }>()
  for (const { answerable, set } of items) {
    if (set === undefined) continue
    const count = counts.get(set) ?? { all: 0, answerable: 0 }
    counts.set(set, { all: count.all + 1, answerable: count.answerable + (answerable ? 1 : 0) })
  }
  return ({ answerable, set }) => {
    const count = set === undefined ? undefined : counts.get(set)
    if (count === undefined || count.answerable === 0 || count.answerable === count.all) return 1
    return answerable
      ? (count.all * share) / count.answerable
      : (count.all * (1 - share)) / (count.all - count.answerable)
  }
}

const hasBoth = (rows: ReadonlyArray<LabelledItem>): boolean => {
  const right = rows.filter((row) => row.right).length
  return Math.min(right, rows.length - right) >= calibrationEachMin
}

const fitModel = (rows: ReadonlyArray<LabelledItem>, names: ReadonlyArray<string>): Logistic =>
  roundModel(
    fitStandardised(
      names,
      rows.map(({ item, right, weight = 1 }) => ({
        features: vectorOf(names, item.features),
        right,
        weight
      })),
      l2
    )
  )

/** Fits the models and scales them to the observed accuracy. */
export const fitScores = (
  fit: ReadonlyArray<CalibrationItem>,
  { fold, plan, presence }: Scorer
): Pick<Artefact, "presence" | "factors" | "model" | "scale" | "knots" | "least" | "most" | "prior"> => {
  const { isFactor, model, said } = modelsOf(fit, plan)
  const answered = fit.filter((item) => item.answered)
  const weigh = weightFor(answered, answeredShare)
  const unseen = Array.from({ length: folds }, (_, heldOut) => {
    const others = modelsOf(
      fit.filter(({ question }) => fold(question) !== heldOut),
      plan
    )
    return answered
      .filter(({ question }) => fold(question) === heldOut)
      .map((item) => {
        const { features, right, set } = item
        const before = [others.said ?? undefined, presenceFor(presence, features)]
        const whole = [others.model, ...(others.isFactor ? before : before.slice(1))]
        return {
          right,
          set,
          weight: weigh(item),
          whole: jointValue(whole, features),
          before: jointValue(before, features)
        }
      })
  }).flat()
  const scale = scaleOf(unseen.map(({ whole, ...one }) => ({ ...one, value: whole })))
  const prior =
    said === null
      ? null
      : {
          ...said,
          ...scaleOf(unseen.map(({ before, ...one }) => ({ ...one, value: before }))),
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

export const foldOf = (question: string, seed: string, sha256: (text: string) => string): number =>
  Number.parseInt(sha256(`fold ${seed}${normaliseForSplit(question)}`).slice(0, 6), 16) % folds

/** An out-of-sample value with what came of it. */
interface Unseen {
  readonly value: number
  readonly right: boolean
  readonly set?: string | undefined
  readonly weight?: number
}

/**
 * Scales out-of-sample values (Platt, "Probabilistic Outputs for Support Vector Machines", 1999). Strictly
 * increasing, so it makes no ties, unlike a step function. Of several sets each has an intercept, and the least is
 * taken: the same value is right more often in one set than in another, and a new workspace may be like the worst.
 */
const scaleOf = (values: ReadonlyArray<Unseen>): { readonly scale?: Scale } => {
  if (values.length < scaledMin) return {}
  const sets = [...new Set(values.flatMap(({ set }) => set ?? []))].sort(compare)
  const rows = values.map(({ right, set, value, weight = 1 }) => ({
    right,
    weight,
    features: [logit(value), ...sets.map((one) => (one === set ? 1 : 0))]
  }))
  const { intercept, weights } = fitLogistic(rows, scaleL2)
  const [slope = 0, ...ofSets] = weights
  const least = intercept + Math.min(...(ofSets.length === 0 ? [0] : ofSets))
  const share = values.filter(({ right }) => right).length / values.length
  // A falling scale carries no information; all answers then get the same confidence.
  return slope > 0
    ? { scale: { slope: rounded(slope), intercept: rounded(least) } }
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
