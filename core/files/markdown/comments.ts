import { closesFence, fenceAt, type Line, linesOf, shapeOf } from "./line-shape.js"

/**
 * Returns the source with Obsidian's comments (`%%…%%`) from `bodyStart` on replaced by blanks of the same length, so
 * that offsets stay. A comment lies within one line, or starts on a line of its own and ends at the next `%%`; code is
 * no comment. Returns the same text when there is none.
 */
export const hideComments = (source: string, bodyStart: number): string => {
  if (source.indexOf("%%", bodyStart) < 0) return source
  const hidden: Array<Line> = []
  let fence: string | null = null
  let open = -1
  for (const line of linesOf(source)) {
    if (line.end <= bodyStart) continue
    if (open >= 0) {
      const close = source.indexOf("%%", line.start)
      if (close < 0) return blanked(source, hidden)
      if (close >= line.end) continue
      hidden.push({ start: open, end: close + 2 })
      open = openingIn(source, close + 2, line.end, hidden)
      continue
    }
    const { content } = shapeOf(source, line.start, line.end)
    if (fence !== null) {
      if (closesFence(source, content, line.end, fence)) fence = null
      continue
    }
    fence = fenceAt(source, content, line.end)
    if (fence === null) open = openingIn(source, line.start, line.end, hidden)
  }
  return blanked(source, hidden)
}

/** Notes the comments within a line; returns the start of one that the line opens and does not close, or -1. */
const openingIn = (source: string, start: number, end: number, hidden: Array<Line>): number => {
  for (let at = start; at < end; at++) {
    const char = source.charAt(at)
    if (char === "`") at = codeEnd(source, at, end) - 1
    else if (char === "%" && source.charAt(at + 1) === "%") {
      const close = source.indexOf("%%", at + 2)
      if (close >= 0 && close + 2 <= end) {
        // A percentage is none: `100%% of …`.
        if (!/\d/u.test(source.charAt(at - 1))) hidden.push({ start: at, end: close + 2 })
        at = close + 1
      } else return source.slice(start, at).trim() === "" ? at : -1
    }
  }
  return -1
}

/** Returns the end of the code span that starts here, or of the backticks when there is none. */
const codeEnd = (source: string, at: number, end: number): number => {
  let ticks = at
  while (ticks < end && source.charAt(ticks) === "`") ticks++
  const close = source.indexOf(source.slice(at, ticks), ticks)
  return close >= 0 && close < end ? close + ticks - at : ticks
}

const blanked = (source: string, hidden: ReadonlyArray<Line>): string => {
  const parts: Array<string> = []
  let from = 0
  for (const { end, start } of hidden) {
    parts.push(source.slice(from, start), source.slice(start, end).replace(/[^\r\n]/gu, " "))
    from = end
  }
  return [...parts, source.slice(from)].join("")
}
