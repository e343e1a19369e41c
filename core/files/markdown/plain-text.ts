import MarkdownIt from "markdown-it"
import { Emphasis } from "./emphasis.js"
import { type InlineVisitor, scanInline } from "./inline.js"
import { isSpace } from "./line-scanner.js"
import { closesFence, fenceAt, type Line, type LineShape, linesOf, shapeOf } from "./line-shape.js"

/**
 * Returns the displayed text of a piece of Markdown: no marks of headings, lists, quotes, emphasis, code and
 * footnotes, no tags, link targets or definitions; links and images as their label, wiki links as their label or
 * target. One line per block (paragraph, item, row; code keeps its lines), so that a sentence never spans blocks; the
 * cells of a row are separated by ` | `. Accepts any piece, also one that starts or ends inside a block. Linear.
 */
export const plainText = (markdown: string): string => {
  const out: Array<string> = []
  let run: Run | null = null
  let fence: string | null = null
  const flush = (): void => {
    if (run !== null) out.push(plainRun(markdown, run))
    run = null
  }
  for (const line of linesOf(markdown)) {
    const shape = shapeOf(markdown, line.start, line.end)
    if (fence !== null) {
      if (closesFence(markdown, shape.content, line.end, fence)) fence = null
      else out.push(markdown.slice(line.start, line.end).trimEnd())
      continue
    }
    const opening = fenceAt(markdown, shape.content, line.end)
    if (opening !== null || shape.kind !== "text") flush()
    if (opening !== null) fence = opening
    if (opening !== null || shape.kind === "none") continue
    run = grown(run, line)
    cutMarks(markdown, line, shape, run.cuts)
    if (shape.kind === "heading") flush()
  }
  flush()
  return out.filter((text) => text.trim() !== "").join("\n")
}

/** Returns the displayed text of inline Markdown, such as a heading, as one line. */
export const plainInline = (markdown: string): string =>
  plainRun(markdown, { start: 0, end: markdown.length, cuts: [] })

/** A range of the text that is replaced by `put`. */
interface Cut {
  readonly start: number
  readonly end: number
  readonly put: string
}

/** The lines of one block, with the ranges that their marks remove. */
interface Run {
  readonly start: number
  readonly end: number
  readonly cuts: Array<Cut>
}

const grown = (run: Run | null, line: Line): Run =>
  run === null ? { start: line.start, end: line.end, cuts: [] } : { ...run, end: line.end }

/** Removes the marks of a line: those before its content, the closing marks of a heading, the bars of a row. */
const cutMarks = (text: string, line: Line, shape: LineShape, cuts: Array<Cut>): void => {
  const from = shape.kind === "row" ? shape.content + 1 : shape.content
  if (from > line.start) cuts.push({ start: line.start, end: from, put: " " })
  if (shape.kind !== "heading" && shape.kind !== "row") return
  let last = line.end
  while (last > from && isSpace(text.charCodeAt(last - 1))) last--
  if (shape.kind === "heading") {
    let close = last
    while (close > from && text.charCodeAt(close - 1) === 35) close--
    if (close < last && isSpace(text.charCodeAt(close - 1))) cuts.push({ start: close, end: last, put: "" })
    return
  }
  for (let at = from; at < last; at++) {
    const code = text.charCodeAt(at)
    if (code === 92) at++
    else if (code === 124) cuts.push({ start: at, end: at + 1, put: at === last - 1 ? "" : " | " })
  }
}

/** Applies the cuts of the lines and of the inline markup; collapses white space. */
const plainRun = (text: string, run: Run): string => {
  const piece = text.slice(run.start, run.end)
  const cuts = /[\\`<[&*_~]/.test(piece) ? [...run.cuts, ...inlineCuts(text, run.start, run.end)] : run.cuts
  if (cuts.length === 0) return fold(piece)
  cuts.sort((a, b) => a.start - b.start || b.end - a.end)
  const out: Array<string> = []
  let at = run.start
  for (const { end, put, start } of cuts) {
    if (end <= at) continue
    if (start >= at) out.push(text.slice(at, start), put)
    at = end
  }
  out.push(text.slice(at, run.end))
  return fold(out.join(""))
}

const fold = (text: string): string => text.replace(/\s+/g, " ").trim()

const inlineCuts = (text: string, start: number, end: number): ReadonlyArray<Cut> => {
  const cuts: Array<Cut> = []
  const cut = (from: number, to: number, put = ""): void => {
    if (from < to) cuts.push({ start: from, end: to, put })
  }
  const emphasis = new Emphasis(text, start, end, cut)
  const visitor: InlineVisitor = {
    link: (link) => {
      cut(link.start, link.labelStart)
      cut(link.labelEnd, link.end)
    },
    wikiLink: ({ end, fragment, label, start, target }) =>
      cut(start, end, label ?? (target === "" ? (fragment ?? "") : target)),
    code: (from, to, innerStart, innerEnd) => {
      cut(from, innerStart)
      cut(innerEnd, to)
    },
    html: (from, to) => cut(from, to, breakingTag.test(text.slice(from, from + 6)) ? " " : ""),
    autolink: (from, to) => {
      cut(from, from + 1)
      cut(to - 1, to)
    },
    footnote: (from, to) => cut(from, to),
    escape: (at) => cut(at, at + 1),
    entity: (from, to) => cut(from, to, utils.unescapeAll(text.slice(from, to))),
    delimiter: (from, to) => emphasis.run(from, to)
  }
  scanInline(text, start, end, visitor)
  return cuts
}

/** Tags that separate words. */
const breakingTag = /^<\/?(?:br|p|div|li|td|th|tr)\b/i

const utils = new MarkdownIt().utils
