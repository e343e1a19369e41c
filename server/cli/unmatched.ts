import { cleanLine } from "./text.js"

/** Says which words of a claim no source carries, with a blank before; nothing where the check knows none. */
export const unmatchedWords = (
  text: string,
  unmatched: ReadonlyArray<{ readonly start: number; readonly end: number }> = []
): string => {
  const words = unmatched.map(({ end, start }) => `“${cleanLine(text.slice(start, end))}”`)
  return words.length === 0 ? "" : ` (no source says ${words.join(", ")})`
}
