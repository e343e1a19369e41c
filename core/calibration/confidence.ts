import { predictIsotonic } from "./isotonic.js"
import { logisticValue, missingSuffix, sigmoid } from "./logistic.js"
import type { ActiveCalibration, Artefact, Fingerprint, Logistic, Scale } from "./model.js"

/** Values of named features, each 0 to 1. One that is missing counts as 0: its indicator says so. */
export type FeatureValues = Readonly<Record<string, number>>
/** The same as they were measured: a feature that is absent or null is missing, and its indicator follows from that. */
export class MeasuredFeatures {
  constructor(readonly values: Readonly<Partial<Record<string, number | null>>>) {}
}
type Features = FeatureValues | MeasuredFeatures

const isMissing = (name: string, features: Features): boolean =>
  features instanceof MeasuredFeatures
    ? (features.values[name] ?? null) === null
    : features[`${name}${missingSuffix}`] === 1

/** What a model reads of measured features, name by name: a feature, or whether it is missing. */
const readings = new WeakMap<
  Logistic,
  ReadonlyArray<{ readonly name: string; readonly ofMissing: boolean }>
>()
const readingsOf = (model: Logistic) => {
  const held = readings.get(model)
  if (held !== undefined) return held
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
 * The estimated probability that the given answer is right, 0 to 1. Pure. Rising in each feature whose weights are
 * positive, the others fixed: every step rises.
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

/** The same, from what is known before an answer is written; null when the artefact has no model for it. */
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

/** That all of what the models tell holds: the product of their values. */
export const jointValue = (models: ReadonlyArray<Logistic | undefined>, features: Features): number =>
  models.reduce(
    (product, model) => product * (model === undefined ? 1 : logisticValue(model, rowOf(model, features))),
    1
  )

/** The model of presence rests on the first of its features: where that is missing it has nothing to tell. */
export const presenceFor = (presence: Logistic | undefined, features: Features): Logistic | undefined =>
  presence === undefined || isMissing(presence.names[0] ?? "", features) ? undefined : presence

const scaled = (scale: Scale | undefined, value: number): number =>
  scale === undefined ? value : sigmoid(scale.intercept + scale.slope * logit(value))

/** ln(p / (1 - p)), finite at both ends. */
export const logit = (value: number): number => {
  const inside = clip(value, 1e-12, 1 - 1e-12)
  return Math.log(inside / (1 - inside))
}

/** The values in the order of a model. */
export const vectorOf = (names: ReadonlyArray<string>, features: FeatureValues): ReadonlyArray<number> =>
  names.map((name) => features[name] ?? 0)

const clip = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))

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
