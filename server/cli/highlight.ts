import { analyse } from "../../core/language/tokenization/index.js"

/** A stretch of a text, in UTF-16 units. */
export interface Stretch {
  readonly start: number
  readonly end: number
}

/** The words of a text that the query asks for, as the full-text index compares words. */
export const matches = (text: string, query: string): ReadonlyArray<Stretch> => {
  const wanted = new Set(analyse(query).map(({ term }) => term))
  const found = analyse(text)
    .filter(({ term }) => wanted.has(term))
    .sort((a, b) => a.start - b.start)
  const merged: Array<Stretch> = []
  for (const { end, start } of found) {
    const last = merged.at(-1)
    if (last !== undefined && start <= last.end)
      merged.splice(-1, 1, { start: last.start, end: Math.max(last.end, end) })
    else merged.push({ start, end })
  }
  return merged
}

/**
 * Wrapped lines of a text with stretches of it painted. Wrapping may drop blanks and put in line ends and
 * indents; everything else is still there in its order, which is how the stretches are found again.
 */
export const paintStretches = (
  text: string,
  stretches: ReadonlyArray<Stretch>,
  wrapped: string,
  paint: (part: string) => string
): string => {
  const isIn = new Uint8Array(text.length + 1)
  for (const { end, start } of stretches) isIn.fill(1, start, end)
  let [out, run, at] = ["", "", 0]
  const flush = (): void => {
    if (run !== "") out += paint(run)
    run = ""
  }
  for (let index = 0; index < wrapped.length; index++) {
    const unit = wrapped[index] ?? ""
    const isBlank = unit === " " || unit === "\n"
    if (isBlank) {
      if (unit === "\n" || !(text[at] === " " && isIn[at] === 1)) flush()
      if (run === "") out += unit
      else run += unit
      if (text[at] === unit) at++
      continue
    }
    while (at < text.length && text[at] !== unit && (text[at] === " " || text[at] === "\n")) at++
    if (isIn[at] === 1) run += unit
    else {
      flush()
      out += unit
    }
    at++
  }
  flush()
  return out
}
