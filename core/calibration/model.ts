import { z } from "zod"
import { canonicalJson } from "../kernel/index.js"

const Share = z.number().min(0).max(1)

/** A logistic model over standardised features: means, standard deviations and weights stand in the order of `names`. */
export const Logistic = z.object({
  names: z.array(z.string()),
  means: z.array(z.number()),
  deviations: z.array(z.number().positive()),
  weights: z.array(z.number()),
  intercept: z.number()
})
export type Logistic = z.infer<typeof Logistic>

/** Turns a probability into one that comes true: a logistic of `intercept + slope * logit`; rising where `slope` is. */
export const Scale = z.object({ slope: z.number(), intercept: z.number() })
export type Scale = z.infer<typeof Scale>

/** Knots of a rising line: between them it is straight, outside of them level. */
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

/** How good a confidence was on questions that it was not fitted on. */
export const CalibrationMeasures = z.object({
  brier: z.number(),
  logLoss: z.number(),
  ece: z.number(),
  adaptiveEce: z.number(),
  aurc: z.number(),
  excessAurc: z.number(),
  /** Right answers against all else; null when there is only one kind. */
  auroc: z.number().nullable(),
  accuracy: Share,
  bins: z.array(ReliabilityBin)
})
export type CalibrationMeasures = z.infer<typeof CalibrationMeasures>

/** What an artefact was fitted for. Another pipeline makes it stale: still used, no longer certified. */
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

/** What was promised, and what the calibration half says about it. */
export const RiskCertificate = z.object({
  alpha: z.number().gt(0).lt(1),
  delta: z.number().gt(0).lt(1),
  /** Descending. */
  grid: z.array(Share),
  /** Place in the grid where the sequence of tests began: chosen on the fit half. */
  start: z.int().min(0),
  /** Least confidence of an answer without the caveat `low_confidence`. */
  threshold: Share,
  /** The threshold holds alpha with confidence 1 - delta. */
  certified: z.boolean(),
  /** Questions of the calibration half that the threshold answers, and how many of these were wrong. */
  answered: z.int().min(0),
  wrong: z.int().min(0),
  /** Exact upper bound (confidence 1 - delta) of the share of wrong answers among the answered. */
  bound: Share,
  /** Threshold that bounds answered-and-wrong on average; null when none does. */
  conformalThreshold: Share.nullable()
})
export type RiskCertificate = z.infer<typeof RiskCertificate>

/**
 * A fitted calibration, whole: everything that turns features into a confidence, and what is known of it. Its
 * canonical JSON names it (`calibrationVersionOf`), so it never changes.
 */
export const Artefact = z.object({
  format: z.literal(1),
  /** Id of the feature list that the models read, such as `features-1`. */
  features: z.string(),
  model: Logistic,
  /** Whether the documents speak of what is asked at all. Absent from calibrations of features-1. */
  presence: Logistic.optional(),
  /** The models whose values multiply that of `model`; absent where there is none. */
  factors: z.array(z.enum(["presence", "prior"])).optional(),
  /** From the value of the models to a share of right answers; absent from calibrations of features-1. */
  scale: Scale.optional(),
  /** The same of calibrations of features-1; null in those that came after. */
  knots: Knots.nullable(),
  /** A confidence is never nearer to certainty than the questions allow. */
  least: Share,
  most: Share,
  /** Judges by what is known before generation; null when it drops nothing safely. */
  prior: Logistic.extend({ threshold: Share, least: Share, most: Share, scale: Scale.optional() }).nullable(),
  risk: RiskCertificate,
  seed: z.string(),
  /** Questions in each half. */
  fitted: z.int().min(0),
  calibrated: z.int().min(0),
  measures: CalibrationMeasures,
  fingerprint: Fingerprint,
  /** SHA-256 of the questions, judgments included. */
  dataset: z.string()
})
export type Artefact = z.infer<typeof Artefact>

/** The first 16 hexadecimal digits of the SHA-256 of the artefact's canonical JSON. */
export const calibrationVersionOf = (artefact: Artefact, sha256: (text: string) => string): string =>
  sha256(canonicalJson(artefact)).slice(0, 16)

/** The calibration in use. */
export interface ActiveCalibration {
  readonly version: string
  readonly artefact: Artefact
  /** When it was fitted for the workspace; null for the one that ships. */
  readonly fittedAt: string | null
}
