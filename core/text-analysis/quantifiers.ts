import { phrase } from "./phrases.js"

/** Quantifiers of one scale: universal ones and weaker ones. */
const scales = (
  [
    ["all", "some"],
    ["invariably", "usually"],
    ["must", "may"]
  ] as const
).map(([strong, weak]) => ({ strong: phrase(strong, "giu"), weak: phrase(weak, "giu") }))

const exclusive = phrase("only", "giu")

const count = (text: string, pattern: () => RegExp): number => text.match(pattern())?.length ?? 0

/** Whether a claim says "all", "always", "must" or "only" where its evidence has a weaker quantifier. */
export const overstates = (claim: string, evidence: string): boolean =>
  count(claim, exclusive) > count(evidence, exclusive) ||
  scales.some(
    ({ strong, weak }) =>
      count(claim, strong) > count(evidence, strong) && count(evidence, weak) > count(claim, weak)
  )
