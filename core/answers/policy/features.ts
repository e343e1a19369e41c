import { z } from "zod"
import { missingSuffix, shippedCalibration } from "../calibration/index.js"

/** Id of the list below and its order; another list has another id. */
export const featuresId = "features-5"

/** All feature lists that decisions have used. */
export const featuresIds = ["features-1", "features-2", "features-3", "features-4", featuresId] as const

/**
 * Features of the best statement of the evidence, known before an answer is written; each is in [0, 1]. The built-in
 * model computes them (`core/answers/extractive/features.ts` and `answer.ts`).
 */
export const priorFeatureNames: ReadonlyArray<string> = shippedCalibration.artefact.model.names

/** Features that indicate whether the documents cover the question at all. */
export const presenceFeatureNames: ReadonlyArray<string> = ["cosine", "passage"]

/** Features known only of an answer. */
export const answerFeatureNames = [
  /** Share of the claims that the verifier found grounded in their evidence. */
  "verifiedShare",
  "supportLeast",
  "supportMean",
  /** Share of the claims with a citation of a source. */
  "citedShare",
  /** 1 if a claim has a number or a date that its evidence lacks. */
  "valueVeto",
  /** Share of the cited documents that are verified or certified. */
  "trustedShare",
  "conflictPresent",
  /** Number of distinct cited documents; five and more count as 1. */
  "documentCount"
] as const

/** All features of a confidence, in this order. */
export const featureNames: ReadonlyArray<string> = [...priorFeatureNames, ...answerFeatureNames]

const Share = z.number().min(0).max(1)

/** Features by name; an absent one is missing, like null. */
export const FeatureValues = z.record(z.string(), Share.nullable())
export type FeatureValues = Readonly<Record<string, number | null>>

/** Returns the features as numbers by name for a model: a missing one is 0, and its indicator `NAME.missing` is 1. */
export const featureVector = (
  features: FeatureValues,
  names: ReadonlyArray<string> = featureNames
): Readonly<Record<string, number>> => {
  const vector: Record<string, number> = {}
  for (const name of names) {
    const value = features[name] ?? null
    vector[name] = value ?? 0
    vector[`${name}${missingSuffix}`] = value === null ? 1 : 0
  }
  return vector
}
