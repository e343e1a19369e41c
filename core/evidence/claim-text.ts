import { memoize, ReadClaim, type ReadUnit } from "../text-analysis/index.js"
import type { Evidence } from "./evidence.js"

/** The text of a claim, read as a sentence: checked, compared and judged against one evidence, it is read once. */
export const claimText = (evidence: Evidence, text: string): ReadUnit => {
  const known = textsOf(evidence)
  const held = known.get(text)
  if (held !== undefined) return held
  const made = new ReadClaim(
    { kind: "sentence", text, start: 0, end: text.length, block: 0, heading: "", lead: "" },
    text,
    evidence.analyse
  )
  known.set(text, made)
  return made
}

/** Kept as long as the evidence is: a question long. */
const textsOf = memoize((_: Evidence) => new Map<string, ReadUnit>())
