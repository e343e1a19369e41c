import { memoize, ReadClaim, type ReadUnit } from "../text-analysis/index.js"
import type { Evidence } from "./evidence.js"

/** Returns the text of a claim, analysed as a sentence; cached per evidence, because several checks use it. */
export const claimText = (evidence: Evidence, text: string): ReadUnit => {
  const known = textsOf(evidence)
  const cached = known.get(text)
  if (cached !== undefined) return cached
  const made = new ReadClaim(
    { kind: "sentence", text, start: 0, end: text.length, block: 0, heading: "", lead: "" },
    text,
    evidence.analyse
  )
  known.set(text, made)
  return made
}

/** Cached as long as the evidence, that is, for one question. */
const textsOf = memoize((_: Evidence) => new Map<string, ReadUnit>())
