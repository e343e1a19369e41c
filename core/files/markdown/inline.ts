import { isSpace } from "./line-scanner.js"
import { inlineTarget, isMark, type LinkDestination, referenceEnd } from "./link-target.js"

/** A link as written; offsets are those of the scanned text. */
interface InlineLink {
  readonly start: number
  readonly end: number
  readonly labelStart: number
  readonly labelEnd: number
  /** The destination of `[label](destination)`; null for a reference. */
  readonly destination: string | null
  /** Label of the definition, for `[label][reference]`, `[reference][]` and `[reference]`. */
  readonly reference: string | null
  readonly image: boolean
}

/** `[[target#fragment|label]]`, `![[…]]`. Parts are as written, trimmed; null when missing. */
interface InlineWikiLink {
  readonly start: number
  readonly end: number
  readonly target: string
  readonly fragment: string | null
  readonly label: string | null
  readonly embed: boolean
}

/** Called for each piece of inline markup, in the order in which the pieces end. */
export interface InlineVisitor {
  readonly link?: (link: InlineLink) => void
  readonly wikiLink?: (link: InlineWikiLink) => void
  /** A code span; the code is between `innerStart` and `innerEnd`. */
  readonly code?: (start: number, end: number, innerStart: number, innerEnd: number) => void
  /** An HTML tag or comment. */
  readonly html?: (start: number, end: number) => void
  /** `<https://…>` or `<name@host>`. */
  readonly autolink?: (start: number, end: number) => void
  /** `[^mark]`. */
  readonly footnote?: (start: number, end: number) => void
  /** A backslash that escapes the mark after it. */
  readonly escape?: (at: number) => void
  /** A character reference such as `&amp;`. */
  readonly entity?: (start: number, end: number) => void
  /** A run of `*`, `_` or `~`. */
  readonly delimiter?: (start: number, end: number) => void
  /**
   * Whether a definition with this label exists. When absent, `[label][reference]` counts as a link and `[label]` as
   * text.
   */
  readonly defined?: (label: string) => boolean
}

/**
 * Scans `text` between two offsets for inline markup; the range should be one block (paragraph, heading, row). Follows
 * CommonMark for common documents, and reads wiki links like Obsidian and Foam. One pass: every look-ahead either
 * consumes what it read or stops at the next opener, so the time is linear for any text. Written because Markdown
 * parsers give no offsets for inline tokens.
 */
export const scanInline = (text: string, start: number, end: number, visitor: InlineVisitor): void => {
  const scan: Scan = { text, end, visitor, brackets: [], lastRuns: null, noCommentAfter: end }
  let at = start
  while (at < end) {
    switch (text.charCodeAt(at)) {
      case 92:
        at = escapeAt(scan, at)
        break
      case 96:
        at = codeAt(scan, at)
        break
      case 60:
        at = angleAt(scan, at)
        break
      case 33:
        at = text.charCodeAt(at + 1) === 91 && at + 1 < end ? openBracket(scan, at, at + 1) : at + 1
        break
      case 91:
        at = openBracket(scan, at, at)
        break
      case 93:
        at = closeBracket(scan, at)
        break
      case 38:
        at = entityAt(scan, at)
        break
      case 42:
      case 95:
      case 126:
        at = delimiterAt(scan, at)
        break
      default:
        at++
    }
  }
}

/** Bounds the memory of a text full of brackets; real documents do not nest this deeply. */
const maxOpenBrackets = 1000

interface Bracket {
  /** Start of the markup: the `!` of an image, else the bracket. */
  readonly start: number
  readonly labelStart: number
  readonly image: boolean
  /** Set when another bracket was opened inside: the label is then not a reference by itself. */
  nested: boolean
}

interface Scan {
  readonly text: string
  readonly end: number
  readonly visitor: InlineVisitor
  readonly brackets: Array<Bracket>
  /** Last position of a run of backticks, by length; known once a search failed. */
  lastRuns: Map<number, number> | null
  /** No comment ends after this position. */
  noCommentAfter: number
}

const escapeAt = ({ end, text, visitor }: Scan, at: number): number => {
  if (at + 1 >= end || !isMark(text.charCodeAt(at + 1))) return at + 1
  visitor.escape?.(at)
  return at + 2
}

const codeAt = (scan: Scan, at: number): number => {
  const { end, text, visitor } = scan
  const open = runEnd(text, at, end)
  const length = open - at
  if (scan.lastRuns !== null && (scan.lastRuns.get(length) ?? -1) < open) return open
  const seen = scan.lastRuns === null ? new Map<number, number>() : null
  for (let place = text.indexOf("`", open); place >= 0 && place < end; ) {
    const close = runEnd(text, place, end)
    if (close - place === length) {
      visitor.code?.(at, close, open, place)
      return close
    }
    seen?.set(close - place, place)
    place = text.indexOf("`", close)
  }
  // The scan reached the end, so its result holds for every later opener.
  if (seen !== null) scan.lastRuns = seen
  return open
}

const angleAt = (scan: Scan, at: number): number => {
  const { end, text, visitor } = scan
  if (text.startsWith("<!--", at)) return commentAt(scan, at)
  // Scans to the first angle bracket; an address contains `:` or `@` and no blank.
  let [place, blank, address] = [at + 1, false, false]
  for (; place < end; place++) {
    const code = text.charCodeAt(place)
    if (code === 60 || code === 62) break
    if (isSpace(code)) blank = true
    else if (code === 58 || code === 64) address ||= !blank
  }
  if (place >= end || text.charCodeAt(place) === 60) return at + 1
  const closing = text.charCodeAt(at + 1) === 47
  if (!isLetter(text.charCodeAt(closing ? at + 2 : at + 1))) return at + 1
  if (address && !blank && !closing) visitor.autolink?.(at, place + 1)
  else visitor.html?.(at, place + 1)
  return place + 1
}

const commentAt = (scan: Scan, at: number): number => {
  const { end, text, visitor } = scan
  const length = at < scan.noCommentAfter ? text.slice(at + 4, end).indexOf("-->") : -1
  if (length < 0) {
    scan.noCommentAfter = Math.min(scan.noCommentAfter, at)
    return at + 4
  }
  visitor.html?.(at, at + 4 + length + 3)
  return at + 4 + length + 3
}

const openBracket = (scan: Scan, start: number, bracket: number): number => {
  const { brackets, end, text, visitor } = scan
  if (text.charCodeAt(bracket + 1) === 91) {
    const wiki = wikiLinkAt(text, start, bracket + 2, end)
    if (wiki !== null) {
      visitor.wikiLink?.(wiki)
      return wiki.end
    }
  }
  if (start === bracket && text.charCodeAt(bracket + 1) === 94) {
    const close = footnoteEnd(text, bracket + 2, end)
    if (close > 0) {
      visitor.footnote?.(start, close)
      return close
    }
  }
  const outer = brackets.at(-1)
  if (outer !== undefined) outer.nested = true
  if (brackets.length < maxOpenBrackets)
    brackets.push({ start, labelStart: bracket + 1, image: start !== bracket, nested: false })
  return bracket + 1
}

const wikiLinkAt = (text: string, start: number, from: number, end: number): InlineWikiLink | null => {
  let bar = -1
  let close = from
  // A name may have brackets of its own: `[[a [b] c]]`.
  let open = 0
  for (; close < end; close++) {
    const code = text.charCodeAt(close)
    if (code === 10 || code === 13) return null
    if (code === 91) {
      if (text.charCodeAt(close + 1) === 91) return null
      open++
    } else if (code === 93) {
      if (open === 0) break
      open--
    } else if (code === 124 && bar < 0) bar = close
  }
  if (close + 1 >= end || text.charCodeAt(close + 1) !== 93) return null
  // In a table the bar is written `\|`.
  const targetEnd = bar < 0 ? close : text.charCodeAt(bar - 1) === 92 ? bar - 1 : bar
  const whole = text.slice(from, targetEnd)
  const hash = whole.indexOf("#")
  const target = (hash < 0 ? whole : whole.slice(0, hash)).trim()
  const fragment = hash < 0 ? "" : whole.slice(hash + 1).trim()
  if (target === "" && fragment === "") return null
  const label = bar < 0 ? "" : text.slice(bar + 1, close).trim()
  return {
    start,
    end: close + 2,
    target,
    fragment: fragment === "" ? null : fragment,
    label: label === "" ? null : label,
    embed: text.charCodeAt(start) === 33
  }
}

/** Returns the end of a footnote mark whose label starts here, or 0. */
const footnoteEnd = (text: string, from: number, end: number): number => {
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code === 93) return at > from ? at + 1 : 0
    if (code === 91 || isSpace(code)) return 0
  }
  return 0
}

const closeBracket = (scan: Scan, at: number): number => {
  const { brackets, visitor } = scan
  const bracket = brackets.pop()
  if (bracket === undefined) return at + 1
  const target = targetAfter(scan, bracket, at)
  if (target === null) return at + 1
  visitor.link?.({
    start: bracket.start,
    end: target.end,
    labelStart: bracket.labelStart,
    labelEnd: at,
    destination: target.destination,
    reference: target.reference,
    image: bracket.image
  })
  // Links cannot contain links: brackets still open around it become text. Images may be inside a link.
  if (!bracket.image) brackets.length = 0
  return target.end
}

const targetAfter = (
  { end, text, visitor }: Scan,
  bracket: Bracket,
  close: number
): LinkDestination | null => {
  const defined = visitor.defined ?? (() => true)
  const next = close + 1 < end ? text.charCodeAt(close + 1) : 0
  if (next === 40) {
    const inline = inlineTarget(text, close + 2, end)
    if (inline !== null) return inline
  }
  const own = bracket.nested || close - bracket.labelStart > 999 ? "" : text.slice(bracket.labelStart, close)
  if (next === 91) {
    const labelEnd = referenceEnd(text, close + 2, end)
    const label = labelEnd === close + 2 ? own : text.slice(close + 2, labelEnd)
    if (labelEnd > 0 && label.trim() !== "" && defined(label)) {
      return { end: labelEnd + 1, destination: null, reference: label }
    }
  }
  return own.trim() !== "" && visitor.defined !== undefined && defined(own)
    ? { end: close + 1, destination: null, reference: own }
    : null
}

const entityAt = ({ end, text, visitor }: Scan, at: number): number => {
  const pattern = /&(?:#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|[a-zA-Z][a-zA-Z0-9]{1,31});/y
  pattern.lastIndex = at
  if (!pattern.test(text) || pattern.lastIndex > end) return at + 1
  visitor.entity?.(at, pattern.lastIndex)
  return pattern.lastIndex
}

const delimiterAt = ({ end, text, visitor }: Scan, at: number): number => {
  const close = runEnd(text, at, end)
  visitor.delimiter?.(at, close)
  return close
}

/** Returns the end of a run of equal characters. */
const runEnd = (text: string, at: number, end: number): number => {
  const code = text.charCodeAt(at)
  let place = at + 1
  while (place < end && text.charCodeAt(place) === code) place++
  return place
}

const isLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122
