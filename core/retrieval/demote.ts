import type { Verification } from "../documents/index.js"

const byVerification: Record<Verification, number> = {
  deprecated: 0.5,
  unverified: 1,
  verified: 1.05,
  certified: 1.1
}

const reviewOverdue = 0.95

/** The largest factor there is: how far a hit that was not looked at yet may still rise. */
export const factorMax = Math.max(...Object.values(byVerification))

/** By how much governance moves a fused score: what people vouched for rises, what they retired falls. */
export const governanceFactor = (document: {
  readonly verification: Verification
  /** Its review was due before now. */
  readonly reviewOverdue: boolean
}): number => byVerification[document.verification] * (document.reviewOverdue ? reviewOverdue : 1)
