import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../../platform/kernel/index.js"
import { type Artefact, confidenceOf, MeasuredFeatures, shippedCalibration } from "../calibration/index.js"
import type { FeatureValues } from "./features.js"

/** Quality of a calibration, for display. */
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

/** A calibration ready for use. */
export interface Calibration {
  /** Identifies it; stored with every confidence. */
  readonly version: string
  /** Minimum confidence of an answer without the caveat `low_confidence`. */
  readonly threshold: number
  /** Whether the threshold guarantees the risk that the workspace asks for. */
  readonly certified: boolean
  /** Reasons why it is not certified: `threshold_uncertified`, `calibration_stale`. */
  readonly reasons: ReadonlyArray<string>
  /** Returns the estimated probability that the given answer is right, in [0, 1]. Pure. */
  readonly confidence: (features: FeatureValues) => number
  /** The same before an answer is written, with the minimum value to continue; none without a prior model. */
  readonly prior: {
    readonly threshold: number
    readonly probability: (features: FeatureValues) => number
  } | null
  readonly report: CalibrationReport
}

/** The pipeline for which a calibration's guarantee must hold. */
export interface RunningPipeline {
  readonly chat: string
  readonly embedder: string | null
  readonly reranker: string | null
  readonly judge: string
  readonly prompt: string
  readonly verifier: string
  readonly pipeline: string
}

/** Returns the calibration of a workspace; default: the built-in one. */
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
 * Returns the estimated probability that the given answer is right. A calibration that was fitted to quotes alone, like
 * the shipped one, knows nothing of a reply whose claims the check refuses: such a reply loses up to half, and half of
 * that for claims that are partly supported.
 */
export const answerConfidence = (artefact: Artefact, features: FeatureValues): number => {
  const confidence = confidenceOf(artefact, new MeasuredFeatures(features))
  if (artefact.model.names.includes("verifiedShare")) return confidence
  const { partlyShare, verifiedShare } = features
  return (confidence * (1 + (verifiedShare ?? 1) + (partlyShare ?? 0) / 2)) / 2
}

/** The calibration that ships; it ranks answers and guarantees nothing. */
export const builtInCalibration: Calibration = {
  version: shippedCalibration.version,
  threshold: shippedCalibration.artefact.risk.threshold,
  certified: false,
  reasons: ["threshold_uncertified"],
  confidence: (features) => answerConfidence(shippedCalibration.artefact, features),
  prior: null,
  report: { fittedAt: null, samples: 0, ece: null, brier: null, bins: [] }
}
