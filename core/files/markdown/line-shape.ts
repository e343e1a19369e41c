import { isSpace } from "./line-scanner.js"

/** A line without its line break. */
export interface Line {
  readonly start: number
  readonly end: number
}

/** Classification of a Markdown line, as far as the line alone shows. */
export interface LineShape {
  /** `text` continues the previous block, `start` begins one, `none` displays nothing. */
  readonly kind: "text" | "start" | "heading" | "row" | "none"
  /** Start of the content, after the marks. */
  readonly content: number
}

/** Splits into lines that end with LF, CR LF or CR. */
export const linesOf = function* (text: string): Generator<Line> {
  for (let start = 0; start < text.length; ) {
    let end = start
    while (end < text.length && text.charCodeAt(end) !== 10 && text.charCodeAt(end) !== 13) end++
    yield { start, end }
    start = end + (text.startsWith("\r\n", end) ? 2 : 1)
  }
}

/** Strips the marks of quotes and lists and classifies the rest. Numbers of lists stay, because readers need them. */
export const shapeOf = (text: string, start: number, end: number): LineShape => {
  let content = skipQuotes(text, start, end)
  const quoted = content
  let kind: LineShape["kind"] = "text"
  while (content + 1 < end && "-+*".includes(text.charAt(content)) && isSpace(text.charCodeAt(content + 1))) {
    content = skipQuotes(text, content + 2, end)
    kind = "start"
  }
  if (content >= end || isRule(text, quoted, end)) return { kind: "none", content }
  switch (text.charAt(content)) {
    case "#":
      return headingShape(text, content, end, kind)
    case "|":
      return { kind: "row", content }
    case "[":
      return bracketShape(text, content, end, kind)
    default:
      return { kind: isNumbered(text, content, end) ? "start" : kind, content }
  }
}

/** Returns the fence that starts here, or null. */
export const fenceAt = (text: string, at: number, end: number): string | null => {
  const mark = text.charAt(at)
  if (mark !== "`" && mark !== "~") return null
  let close = at
  while (close < end && text.charAt(close) === mark) close++
  if (close - at < 3 || (mark === "`" && text.slice(close, end).includes("`"))) return null
  return text.slice(at, close)
}

/** Whether the line, from `at` on, closes this fence. */
export const closesFence = (text: string, at: number, end: number, fence: string): boolean =>
  text.startsWith(fence, at) && text.slice(at, end).trim().replaceAll(fence.charAt(0), "") === ""

const headingShape = (text: string, content: number, end: number, kind: LineShape["kind"]): LineShape => {
  let at = content
  while (at < end && at - content < 7 && text.charCodeAt(at) === 35) at++
  const marked = at - content < 7 && (at === end || isSpace(text.charCodeAt(at)))
  return marked ? { kind: "heading", content: at } : { kind, content }
}

/** `[^mark]: text` starts a block, `[label]: target` displays nothing, `[x] task` loses its box. */
const bracketShape = (text: string, content: number, end: number, kind: LineShape["kind"]): LineShape => {
  const box = /^\[[ xX]\]\s/.test(text.slice(content, content + 4))
  if (kind === "start" && box) return { kind, content: content + 3 }
  let close = content + 1
  // The parser has the same limit on labels.
  const last = Math.min(end, content + 1000)
  while (close < last && text.charCodeAt(close) !== 93 && text.charCodeAt(close) !== 91) close++
  if (close + 1 >= end || !text.startsWith("]:", close)) return { kind, content }
  const isFootnote = text.charCodeAt(content + 1) === 94
  return isFootnote ? { kind: "start", content: close + 2 } : { kind: "none", content }
}

const skipQuotes = (text: string, start: number, end: number): number => {
  let at = start
  while (at < end && (text.charCodeAt(at) === 62 || isSpace(text.charCodeAt(at)))) at++
  return at
}

const isNumbered = (text: string, start: number, end: number): boolean => {
  let at = start
  while (at < end && at - start < 9 && text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) at++
  const marked = text.charAt(at) === "." || text.charAt(at) === ")"
  return at > start && at + 1 < end && marked && isSpace(text.charCodeAt(at + 1))
}

/** At least three of `- = * _ | : +` and blanks: a rule, an underline, the second row of a table. */
const isRule = (text: string, start: number, end: number): boolean => {
  let marks = 0
  for (let at = start; at < end; at++) {
    if ("-=*_|:+".includes(text.charAt(at))) marks++
    else if (!isSpace(text.charCodeAt(at))) return false
  }
  return marks >= 3
}
