import { predictIsotonic } from "./isotonic.js"
import { logisticValue } from "./logistic.js"
import type { ActiveCalibration, Artefact, Fingerprint } from "./model.js"

/** Values of named features, each 0 to 1. One that is missing counts as 0: its indicator says so. */
export type FeatureValues = Readonly<Record<string, number>>

/**
 * The estimated probability that the given answer is right, 0 to 1. Pure. Rising in each feature whose weight is
 * positive, the others fixed: both steps rise.
 */
export const confidenceOf = (
  { knots, least, model, most }: Pick<Artefact, "knots" | "least" | "model" | "most">,
  features: FeatureValues
): number => {
  const value = logisticValue(model, vectorOf(model.names, features))
  return clip(knots === null ? value : predictIsotonic(knots, value), least, most)
}

/** The same, from what is known before an answer is written; null when the artefact has no model for it. */
export const priorOf = ({ prior }: Pick<Artefact, "prior">, features: FeatureValues): number | null =>
  prior === null ? null : clip(logisticValue(prior, vectorOf(prior.names, features)), prior.least, prior.most)

/** The values in the order of a model. */
export const vectorOf = (names: ReadonlyArray<string>, features: FeatureValues): ReadonlyArray<number> =>
  names.map((name) => features[name] ?? 0)

export const clip = (value: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, value))

/** What a promise is worth here and now. */
export interface Standing {
  readonly threshold: number
  readonly certified: boolean
  /** `threshold_uncertified`, `calibration_stale`: why it is not. */
  readonly reasons: ReadonlyArray<"threshold_uncertified" | "calibration_stale">
}

/**
 * Whether the artefact's threshold carries its guarantee for the pipeline that runs and the risk that the workspace
 * asks for (null: the artefact's own).
 */
export const standingOf = (
  { artefact }: Pick<ActiveCalibration, "artefact">,
  running: Fingerprint,
  asked: { readonly alpha: number; readonly delta: number } | null
): Standing => {
  const { alpha, certified, delta, threshold } = artefact.risk
  const isOther = asked !== null && (asked.alpha !== alpha || asked.delta !== delta)
  const isStale = !sameFingerprint(artefact.fingerprint, running)
  const reasons = [
    ...(!certified || isOther ? (["threshold_uncertified"] as const) : []),
    ...(isStale ? (["calibration_stale"] as const) : [])
  ]
  return { threshold, certified: reasons.length === 0, reasons }
}

const sameFingerprint = (a: Fingerprint, b: Fingerprint): boolean =>
  a.chat === b.chat &&
  a.embedder === b.embedder &&
  a.reranker === b.reranker &&
  a.judge === b.judge &&
  a.prompt === b.prompt &&
  a.verifier === b.verifier &&
  a.pipeline === b.pipeline
