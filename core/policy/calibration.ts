import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../kernel/index.js"
import { type FeatureValues, featureNames } from "./features.js"

/** What is known of how good a calibration is, for people. */
export interface CalibrationReport {
  readonly fittedAt: string | null
  readonly samples: number
  readonly ece: number | null
  readonly brier: number | null
  readonly bins: ReadonlyArray<{
    readonly from: number
    readonly to: number
    readonly count: number
    readonly confidence: number | null
    readonly accuracy: number | null
  }>
}

/** A calibration, ready to judge. */
export interface Calibration {
  /** Names it, and with it every confidence that it gave. */
  readonly version: string
  /** Least confidence of an answer without the caveat `low_confidence`. */
  readonly threshold: number
  /** The threshold holds the risk that the workspace asks for. */
  readonly certified: boolean
  /** Why it does not: `threshold_uncertified`, `calibration_stale`. */
  readonly reasons: ReadonlyArray<string>
  /** Estimated probability that the given answer is right, 0 to 1. Pure. */
  readonly confidence: (features: FeatureValues) => number
  /** The same before an answer is written, with the least value that lets a question through; none: nobody can tell. */
  readonly prior: {
    readonly threshold: number
    readonly probability: (features: FeatureValues) => number
  } | null
  readonly report: CalibrationReport
}

/** The pipeline that a calibration must have been fitted for to guarantee anything. */
export interface RunningPipeline {
  readonly chat: string
  readonly embedder: string | null
  readonly reranker: string | null
  readonly judge: string
  readonly prompt: string
  readonly verifier: string
  readonly pipeline: string
}

/** Brings the calibration of a workspace; by default the one that is built in, for everybody. */
export class Calibrations extends Context.Reference<Calibrations>()("kanon/Calibrations", {
  defaultValue: () => ({
    active: (
      _workspace: WorkspaceScope,
      _running: RunningPipeline,
      _risk: { readonly alpha: number; readonly delta: number } | null
    ): Effect.Effect<Calibration> => Effect.succeed(builtInCalibration)
  })
}) {}

/**
 * Judges without having been fitted: a logistic of what an answer that can be relied on shows, with weights of one
 * size. It ranks answers and guarantees nothing.
 */
export const builtInCalibration: Calibration = {
  version: "builtin-1",
  threshold: 0.5,
  certified: false,
  reasons: ["threshold_uncertified"],
  confidence: (features) => logistic(features),
  prior: null,
  report: { fittedAt: null, samples: 0, ece: null, brier: null, bins: [] }
}

const weights: FeatureValues = {
  evidenceCoverage: 1,
  evidenceAnchors: 0.5,
  scoreGap: 0.5,
  channelOverlap: 0.25,
  verifiedShare: 1,
  questionCoverage: 1,
  anchorCoverage: 0.5,
  answerTypeMatch: 0.5
}
const intercept = -2.5

/** A feature that is missing speaks neither for nor against. */
const unknown = 0.5

const logistic = (features: FeatureValues): number => {
  const sum = featureNames.reduce(
    (total, name) => total + (weights[name] ?? 0) * (features[name] ?? unknown),
    intercept
  )
  return 1 / (1 + Math.exp(-sum))
}
