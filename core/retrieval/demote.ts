import type { Verification } from "../documents/index.js"
import type { Settings } from "../workspace/index.js"

/** By what the standing of its document multiplies the score of a passage; 1 leaves it where it is. */
export type GovernanceWeights = Settings["retrieval"]["governance"]

/** The largest factor there is, 1 at least: how far a hit that was not looked at yet may still rise. */
export const factorMax = (weights: GovernanceWeights): number =>
  Math.max(1, ...verifications.map((verification) => weightOf(verification, weights)))

const verifications: ReadonlyArray<Verification> = ["deprecated", "unverified", "verified", "certified"]

const weightOf = (verification: Verification, weights: GovernanceWeights): number =>
  verification === "unverified" ? 1 : weights[verification]

/** By how much governance moves a fused score: what people vouched for rises, what they retired falls. */
export const governanceFactor = (
  document: {
    readonly verification: Verification
    /** Its review was due before now. */
    readonly reviewOverdue: boolean
  },
  weights: GovernanceWeights
): number => weightOf(document.verification, weights) * (document.reviewOverdue ? weights.reviewOverdue : 1)
