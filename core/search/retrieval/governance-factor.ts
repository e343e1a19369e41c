import type { Verification } from "../../files/documents/index.js"
import type { Settings } from "../../platform/workspace/index.js"

/** Factors by which the governance state of its document multiplies a passage's score; 1 leaves it unchanged. */
export type GovernanceWeights = Settings["retrieval"]["governance"]

/** Returns the largest factor, at least 1: an upper bound for hits that have not been weighted yet. */
export const factorMax = (weights: GovernanceWeights): number =>
  Math.max(1, ...verifications.map((verification) => weightOf(verification, weights)))

const verifications: ReadonlyArray<Verification> = ["deprecated", "unverified", "verified", "certified"]

/** A weight of deprecated documents below 1 is applied afterwards, since it may cost ten ranks at most; see `demote`. */
const weightOf = (verification: Verification, weights: GovernanceWeights): number =>
  verification === "unverified"
    ? 1
    : verification === "deprecated"
      ? Math.max(1, weights.deprecated)
      : weights[verification]

/** Returns the factor by which governance multiplies a fused score, apart from the demotion of deprecated documents. */
export const governanceFactor = (
  document: {
    readonly verification: Verification
    /** Whether the document's review was due before now. */
    readonly reviewOverdue: boolean
  },
  weights: GovernanceWeights
): number => weightOf(document.verification, weights) * (document.reviewOverdue ? weights.reviewOverdue : 1)
