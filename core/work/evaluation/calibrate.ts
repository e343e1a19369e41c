import * as Effect from "effect/Effect"
import { z } from "zod"
import { answerVersions, askTraced } from "../../answers/answering/index.js"
import {
  type Artefact,
  type CalibrationItem,
  calibrationEachMin,
  calibrationVersionOf,
  Fingerprint,
  fitCalibration,
  leastAbstention,
  shippedCalibration,
  smallestPerfectSample,
  type TooFew,
  tooFewAnswerable
} from "../../answers/calibration/index.js"
import {
  answerFeatureNames,
  decideGate,
  featureNames,
  featuresId,
  featureVector,
  PolicyStore,
  presenceFeatureNames,
  priorFeatureNames
} from "../../answers/policy/index.js"
import { record } from "../../platform/audit/index.js"
import { atomically, Caller, canonicalJson, Ids, InvalidInput, now } from "../../platform/kernel/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"
import { JudgedQuestion } from "./questions.js"
import { isRightAnswer } from "./score-topic.js"

/** Options of a calibration: the accepted risk, its confidence level, and the split of the questions. */
export interface CalibrateOptions {
  /** Share of answers without reservation that may be wrong; the workspace's, else 0.1. */
  readonly alpha?: number | undefined
  /** Chance that more of them are; the workspace's, else 0.1. */
  readonly delta?: number | undefined
  /** Decides which question is in which half; "1" by default. */
  readonly seed?: string | undefined
  readonly onProgress?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined
}

/** Result of a calibration. Shares are 0 to 1. */
export interface CalibrationOutcome {
  readonly version: string
  readonly artefact: Artefact
  /** Questions asked, answers given to them, and right ones among these. */
  readonly asked: number
  readonly answered: number
  readonly right: number
  /** Share of the calibration half that is answered without reservation at the threshold. */
  readonly coverage: number
  /** Answers without a single error that a certificate takes at the least. */
  readonly needed: number
  /** Share of questions that must stay without an answer, however well they are told apart. */
  readonly leastAbstention: number
}

/**
 * Asks every question in shadow, judges the answers by the gold ones, fits a calibration and puts it in use. The
 * questions leave no trace but what models used for them. Nothing
 * is stored when it cannot be fitted: the fault says what there was too little of.
 */
export const calibrate = Effect.fn("evaluation.calibrate")(function* (
  given: ReadonlyArray<JudgedQuestion>,
  options: CalibrateOptions = {}
) {
  const questions = given.map((one) => JudgedQuestion.parse(one))
  const ids = yield* Ids
  const { seed = "1" } = options
  const few = tooFewAnswerable(questions, seed, ids.sha256)
  if (few !== null) return yield* tooFewQuestions(few)
  const items = yield* Effect.forEach(questions, (question, at) =>
    Effect.tap(ask(question), () =>
      Effect.sync(() => options.onProgress?.({ done: at + 1, total: questions.length }))
    )
  )
  const { artefact, version } = yield* fitAndActivate(questions, items, options)
  return outcomeOf(version, artefact, items)
})

/** Fits a calibration from what was asked and puts it in use. InvalidInput when there are too few answers of a kind. */
const fitAndActivate = (
  questions: ReadonlyArray<JudgedQuestion>,
  items: ReadonlyArray<CalibrationItem>,
  options: Omit<CalibrateOptions, "onProgress">
) =>
  Effect.gen(function* () {
    const [ids, { actor, workspace }] = [yield* Ids, yield* Caller]
    const { settings } = yield* (yield* WorkspaceStore).get(workspace)
    const {
      alpha = settings.policy.risk?.alpha ?? usualRisk,
      delta = settings.policy.risk?.delta ?? usualRisk,
      seed = "1"
    } = options
    // The presence model comes from the shipped calibration: the workspace's own questions cannot show how features
    // look when the passages are missing.
    const { presence } = shippedCalibration.artefact
    const plan = { alpha, delta, seed, presence, ...featurePlan }
    const dataset = ids.sha256(
      canonicalJson([...questions].sort((a, b) => (a.question < b.question ? -1 : 1)))
    )
    const { calibration: _calibration, ...versions } = yield* answerVersions(workspace)
    const fingerprint = Fingerprint.parse(versions)
    const artefact = fitCalibration(items, { ...plan, fingerprint, dataset }, ids.sha256)
    if ("half" in artefact) return yield* tooFewQuestions(artefact)
    const version = calibrationVersionOf(artefact, ids.sha256)
    yield* keep(version, artefact, actor, yield* now)
    return { artefact, version }
  })

/** Fits a calibration from the stored items of an evaluation run and gives its version. */
export const fitStored = (
  questions: ReadonlyArray<JudgedQuestion>,
  items: ReadonlyArray<CalibrationItem>,
  options: { readonly seed: string }
) => Effect.map(fitAndActivate(questions, items, options), ({ version }) => version)

/** A calibration item as a run stores it. */
export const StoredItem: z.ZodType<CalibrationItem> = z.object({
  question: z.string(),
  features: z.record(z.string(), z.number()),
  answerable: z.boolean(),
  answered: z.boolean(),
  right: z.boolean(),
  clean: z.boolean()
})

/** Feature names over which the models are fitted. */
const featurePlan = {
  featuresId,
  names: Object.keys(featureVector({}, featureNames)),
  priorNames: Object.keys(featureVector({}, priorFeatureNames)),
  answerNames: Object.keys(featureVector({}, answerFeatureNames)),
  presenceNames: Object.keys(featureVector({}, presenceFeatureNames))
}

/** At most one answer in ten wrong, at nine in ten. */
const usualRisk = 0.1

const ask = (judgedQuestion: JudgedQuestion) =>
  Effect.gen(function* () {
    const { question } = judgedQuestion
    // A trial: nobody asked, so nobody finds it among the decisions, the answers or what the cache may give again.
    const { answer, trace } = yield* askTraced(
      { question, includeData: false, maxSources: 8, policyMode: "shadow" },
      { kept: false }
    )
    if (trace.gate === null) return yield* Effect.dieMessage("A question in shadow was not judged.")
    return itemOf(judgedQuestion, answer.claims, trace.answerable, trace.gate.features)
  })

/** Returns the calibration item for one answer. Pure. */
export const itemOf = (
  { answerable, answers, question }: JudgedQuestion,
  claims: ReadonlyArray<{ readonly text: string }>,
  answered: boolean,
  features: Parameters<typeof decideGate>[0]
): CalibrationItem => ({
  question,
  features: featureVector(features.values),
  answerable,
  answered,
  right:
    answered &&
    answerable &&
    isRightAnswer(
      claims.map(({ text }) => text),
      answers
    ),
  clean:
    decideGate({ ...features, limits: { ...features.limits, confidence: 0, floor: 0, prior: null } })
      .verdict === "answer"
})

/** Stores and activates a calibration in one unit of work. */
const keep = (version: string, artefact: Artefact, createdBy: string, createdAt: string) =>
  atomically(
    Effect.gen(function* () {
      const [store, { workspace }] = [(yield* PolicyStore).calibrations, yield* Caller]
      yield* store.add(workspace, [{ version, artefact, createdBy, createdAt, active: false }])
      yield* store.activate(workspace, version)
      const { alpha, certified, delta, threshold } = artefact.risk
      const details = { version, alpha, delta, certified, threshold }
      yield* record([{ action: "calibration.activate", subjectId: workspace, details }])
    })
  )

const outcomeOf = (
  version: string,
  artefact: Artefact,
  items: ReadonlyArray<CalibrationItem>
): CalibrationOutcome => {
  const answered = items.filter((item) => item.answered).length
  const right = items.filter((item) => item.right).length
  const { alpha, answered: certified, delta } = artefact.risk
  return {
    version,
    artefact,
    asked: items.length,
    answered,
    right,
    coverage: certified / Math.max(1, artefact.calibrated),
    needed: smallestPerfectSample(alpha, delta),
    leastAbstention: leastAbstention(1 - right / Math.max(1, answered), alpha)
  }
}

export const tooFewQuestions = (few: TooFew) =>
  new InvalidInput({ issues: [{ path: ["questions"], code: "too_few", message: tooFewMessage(few) }] })

const tooFewMessage = ({ found, half, kind }: TooFew): string =>
  `The half of the questions that ${half === "fit" ? "is fitted on" : "certifies"} has ${found} ${kind} ${found === 1 ? "answer" : "answers"}, and it takes ${calibrationEachMin}: ${
    kind === "wrong"
      ? "add questions that the documents do not answer, written to look as if they did."
      : "add questions that the documents answer, or check that their answers are written as the documents write them."
  }`
