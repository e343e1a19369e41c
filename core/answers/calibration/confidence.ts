import { predictIsotonic } from "./isotonic.js"
import { logisticValue, missingSuffix, sigmoid } from "./logistic.js"
import type { ActiveCalibration, Artefact, Fingerprint, Logistic, Scale } from "./model.js"

/** Features by name, each in [0, 1]. A missing one counts as 0 and sets its indicator. */
export type FeatureValues = Readonly<Record<string, number>>
/** Features as measured: an absent or null feature is missing, and its indicator is derived. */
export class MeasuredFeatures {
  constructor(readonly values: Readonly<Partial<Record<string, number | null>>>) {}
}
type Features = FeatureValues | MeasuredFeatures

const isMissing = (name: string, features: Features): boolean =>
  features instanceof MeasuredFeatures
    ? (features.values[name] ?? null) === null
    : features[`${name}${missingSuffix}`] === 1

/** Values of measured features by name: a feature, or an indicator that it is missing. */
const readings = new WeakMap<
  Logistic,
  ReadonlyArray<{ readonly name: string; readonly ofMissing: boolean }>
>()
const readingsOf = (model: Logistic) => {
  const cachedReadings = readings.get(model)
  if (cachedReadings !== undefined) return cachedReadings
  const made = model.names.map((name) => {
    const ofMissing = name.endsWith(missingSuffix)
    return { name: ofMissing ? name.slice(0, -missingSuffix.length) : name, ofMissing }
  })
  readings.set(model, made)
  return made
}

const rowOf = (model: Logistic, features: Features): ReadonlyArray<number> => {
  if (!(features instanceof MeasuredFeatures)) return vectorOf(model.names, features)
  const { values } = features
  return readingsOf(model).map(({ name, ofMissing }) => {
    const value = values[name] ?? null
    return ofMissing ? (value === null ? 1 : 0) : (value ?? 0)
  })
}

/**
 * Returns the estimated probability that the given answer is right, in [0, 1]. Pure. Monotonic in each feature with
 * positive weights.
 */
export const confidenceOf = (
  { factors = [], knots, least, model, most, presence, prior, scale }: ConfidenceParts,
  features: Features
): number => {
  const models = { presence: presenceFor(presence, features), prior: prior ?? undefined }
  const value = scaled(scale, jointValue([model, ...factors.map((name) => models[name])], features))
  return clip(knots === null ? value : predictIsotonic(knots, value), least, most)
}
type ConfidenceParts = Pick<
  Artefact,
  "factors" | "knots" | "least" | "model" | "most" | "presence" | "prior" | "scale"
>

/** Returns the same from features known before an answer is written; null if the artefact has no model for it. */
export const priorOf = (
  { presence, prior }: Pick<Artefact, "presence" | "prior">,
  features: Features
): number | null =>
  prior === null
    ? null
    : clip(
        scaled(prior.scale, jointValue([prior, presenceFor(presence, features)], features)),
        prior.least,
        prior.most
      )

/** Returns the product of the models' values: the probability that all of them hold. */
export const jointValue = (models: ReadonlyArray<Logistic | undefined>, features: Features): number =>
  models.reduce(
    (product, model) => product * (model === undefined ? 1 : logisticValue(model, rowOf(model, features))),
    1
  )

/** Returns the presence model if its first feature, on which it relies, was measured. */
export const presenceFor = (presence: Logistic | undefined, features: Features): Logistic | undefined =>
  presence === undefined || isMissing(presence.names[0] ?? "", features) ? undefined : presence

const scaled = (scale: Scale | undefined, value: number): number =>
  scale === undefined ? value : sigmoid(scale.intercept + scale.slope * logit(value))

/** Returns ln(p / (1 - p)), clamped to be finite. */
export const logit = (value: number): number => {
  const inside = clip(value, 1e-12, 1 - 1e-12)
  return Math.log(inside / (1 - inside))
}

/** Returns the feature values in the order of a model. */
export const vectorOf = (names: ReadonlyArray<string>, features: FeatureValues): ReadonlyArray<number> =>
  names.map((name) => features[name] ?? 0)

const clip = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))

/** Validity of an artefact's guarantee. */
export interface Standing {
  readonly threshold: number
  readonly certified: boolean
  /** Reasons why it is not valid: `threshold_uncertified`, `calibration_stale`. */
  readonly reasons: ReadonlyArray<"threshold_uncertified" | "calibration_stale">
}

/**
 * Returns whether the artefact's threshold guarantees the requested risk for the running pipeline (null: the
 * artefact's own risk).
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
