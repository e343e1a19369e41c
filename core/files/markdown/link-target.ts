import { isSpace } from "./line-scanner.js"

/** The part after the label of a link, and where the link ends. */
export interface LinkDestination {
  readonly end: number
  readonly destination: string | null
  readonly reference: string | null
}

/** Returns the bracket that closes a reference label, or 0. */
export const referenceEnd = (text: string, from: number, end: number): number => {
  for (let at = from; at < Math.min(end, from + 1000); at++) {
    const code = text.charCodeAt(at)
    if (code === 93) return at
    if (code === 91) return 0
    if (code === 92) at++
  }
  return 0
}

/** Parses `destination "title")`, after the opening parenthesis. */
export const inlineTarget = (text: string, from: number, end: number): LinkDestination | null => {
  let at = skipSpace(text, from, end)
  const start = at
  let destination: string
  if (text.charCodeAt(at) === 60) {
    for (at++; at < end && text.charCodeAt(at) !== 62; at++) {
      const code = text.charCodeAt(at)
      if (code === 60 || code === 10 || code === 13) return null
      if (code === 92) at++
    }
    destination = text.slice(start + 1, at)
    at++
  } else {
    at = plainDestinationEnd(text, at, end)
    if (at < 0) return null
    destination = text.slice(start, at)
  }
  const space = at
  at = skipSpace(text, at, end)
  if (at > space) at = skipSpace(text, titleEnd(text, at, end), end)
  return at < end && text.charCodeAt(at) === 41 ? { end: at + 1, destination, reference: null } : null
}

/** Stops at white space or at the parenthesis that closes the link; -1 when parentheses nest deeper than 32. */
const plainDestinationEnd = (text: string, from: number, end: number): number => {
  let depth = 0
  let at = from
  for (; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code <= 32 || code === 127) break
    if (code === 92 && at + 1 < end && isMark(text.charCodeAt(at + 1))) at++
    else if (code === 40 && ++depth > 32) return -1
    else if (code === 41 && --depth < 0) break
  }
  return at
}

/** Returns the position after a title that starts here, or the same position when there is none. */
const titleEnd = (text: string, from: number, end: number): number => {
  const open = text.charAt(from)
  const close = open === "(" ? ")" : open
  if (open !== '"' && open !== "'" && open !== "(") return from
  for (let at = from + 1; at < end; at++) {
    const char = text.charAt(at)
    if (char === close) return at + 1
    if (char === "\\") at++
    else if (char === "(" && open === "(") return from
  }
  return from
}

const skipSpace = (text: string, from: number, end: number): number => {
  let at = from
  while (at < end && isSpace(text.charCodeAt(at))) at++
  return at
}

/** ASCII punctuation, which a backslash may escape. */
export const isMark = (code: number): boolean =>
  (code >= 33 && code <= 47) ||
  (code >= 58 && code <= 64) ||
  (code >= 91 && code <= 96) ||
  (code >= 123 && code <= 126)
