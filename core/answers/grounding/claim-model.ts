import { claimFeatureNames } from "./claim-features.js"
import { claimWeights } from "./claim-weights.js"

/** Least probability of a supported claim. */
export const supportedMin: number = claimWeights.threshold

/** Returns the estimated probability that a window supports a claim, by logistic regression (tools/train-claim-check.ts). */
export const probabilityOf = (features: ReadonlyArray<number>): number => {
  const weights: Readonly<Record<string, number>> = claimWeights.weights
  const sum = claimFeatureNames.reduce(
    (total, name, at) => total + (weights[name] ?? 0) * (features[at] ?? 0),
    claimWeights.intercept
  )
  return 1 / (1 + Math.exp(-sum))
}
