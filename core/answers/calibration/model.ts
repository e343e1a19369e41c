import { z } from "zod"
import { canonicalJson } from "../../platform/kernel/index.js"

const Share = z.number().min(0).max(1)

/** A logistic model over standardized features; means, deviations and weights are in the order of `names`. */
export const Logistic = z.object({
  names: z.array(z.string()),
  means: z.array(z.number()),
  deviations: z.array(z.number().positive()),
  weights: z.array(z.number()),
  intercept: z.number()
})
export type Logistic = z.infer<typeof Logistic>

/** Scales a probability: a logistic of `intercept + slope * logit`. */
export const Scale = z.object({ slope: z.number(), intercept: z.number() })
export type Scale = z.infer<typeof Scale>

/** Knots of an increasing function: linear between them, constant outside. */
export const Knots = z.object({ x: z.array(z.number()), y: z.array(Share) })
export type Knots = z.infer<typeof Knots>

/** One bar of a reliability diagram: the questions whose confidence fell into (from, to]. */
export const ReliabilityBin = z.object({
  from: Share,
  to: Share,
  count: z.int().min(0),
  /** Mean confidence; null in an empty bin. */
  confidence: Share.nullable(),
  /** Share of right answers; null in an empty bin. */
  accuracy: Share.nullable()
})
export type ReliabilityBin = z.infer<typeof ReliabilityBin>

/** Quality of a confidence on questions that it was not fitted on. */
export const CalibrationMeasures = z.object({
  brier: z.number(),
  logLoss: z.number(),
  ece: z.number(),
  adaptiveEce: z.number(),
  aurc: z.number(),
  excessAurc: z.number(),
  /** Right against all other answers; null with one kind only. */
  auroc: z.number().nullable(),
  accuracy: Share,
  bins: z.array(ReliabilityBin)
})
export type CalibrationMeasures = z.infer<typeof CalibrationMeasures>

/** The pipeline that an artefact was fitted for. Under another pipeline it is stale: used, but not certified. */
export const Fingerprint = z.object({
  chat: z.string(),
  embedder: z.string().nullable(),
  reranker: z.string().nullable(),
  judge: z.string(),
  prompt: z.string(),
  verifier: z.string(),
  pipeline: z.string()
})
export type Fingerprint = z.infer<typeof Fingerprint>

/** The risk guarantee and its evidence in the calibration half. */
export const RiskCertificate = z.object({
  alpha: z.number().gt(0).lt(1),
  delta: z.number().gt(0).lt(1),
  /** Descending. */
  grid: z.array(Share),
  /** Grid index of the first test, chosen on the fit half. */
  start: z.int().min(0),
  /** Minimum confidence of an answer without the caveat `low_confidence`. */
  threshold: Share,
  /** Whether the threshold keeps the risk below alpha with confidence 1 - delta. */
  certified: z.boolean(),
  /** Number of questions of the calibration half that the threshold answers, and of wrong ones among them. */
  answered: z.int().min(0),
  wrong: z.int().min(0),
  /** Exact upper bound (confidence 1 - delta) of the share of wrong answers among the answered. */
  bound: Share,
  /** Threshold that bounds the share of answered-and-wrong questions on average; null if none does. */
  conformalThreshold: Share.nullable()
})
export type RiskCertificate = z.infer<typeof RiskCertificate>

/**
 * A complete fitted calibration: everything that converts features to a confidence, and its measures. It is named by
 * its canonical JSON (`calibrationVersionOf`) and never changes.
 */
export const Artefact = z.object({
  format: z.literal(1),
  /** Id of the feature list that the models use, such as `features-1`. */
  features: z.string(),
  model: Logistic,
  /** Whether the documents cover the question. Absent from calibrations of features-1. */
  presence: Logistic.optional(),
  /** Models whose values are multiplied with that of `model`; absent if there are none. */
  factors: z.array(z.enum(["presence", "prior"])).optional(),
  /** Scales the models' value to a share of right answers; absent from calibrations of features-1. */
  scale: Scale.optional(),
  /** The scale of calibrations of features-1; null in later ones. */
  knots: Knots.nullable(),
  /** Bounds of a confidence. */
  least: Share,
  most: Share,
  /** Decides by features known before generation; null if it can drop nothing safely. */
  prior: Logistic.extend({ threshold: Share, least: Share, most: Share, scale: Scale.optional() }).nullable(),
  risk: RiskCertificate,
  seed: z.string(),
  /** Number of questions in each half. */
  fitted: z.int().min(0),
  calibrated: z.int().min(0),
  measures: CalibrationMeasures,
  fingerprint: Fingerprint,
  /** SHA-256 of the questions with their judgments. */
  dataset: z.string()
})
export type Artefact = z.infer<typeof Artefact>

/** Returns the first 16 hexadecimal digits of the SHA-256 of the artefact's canonical JSON. */
export const calibrationVersionOf = (artefact: Artefact, sha256: (text: string) => string): string =>
  sha256(canonicalJson(artefact)).slice(0, 16)

/** The active calibration. */
export interface ActiveCalibration {
  readonly version: string
  readonly artefact: Artefact
  /** When it was fitted for the workspace; null for the built-in one. */
  readonly fittedAt: string | null
}
