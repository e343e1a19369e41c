import MarkdownIt from "markdown-it"
import { addFootnotes } from "./footnote-plugin.js"
import { type FrontMatter, parseFrontMatter } from "./front-matter.js"
import { cutText } from "./line-scanner.js"
import { stemOf } from "./path.js"
import { plainInline } from "./plain-text.js"

/** A range of the source in UTF-16 units, end exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

type BlockKind =
  | "heading"
  | "paragraph"
  | "list"
  | "table"
  | "code"
  | "html"
  | "quote"
  | "footnote"
  | "rule"
  /** Link reference definitions. */
  | "definition"

/** A top-level block: whole lines, without the trailing line break and surrounding blank lines. */
export interface Block extends Span {
  readonly kind: BlockKind
  /** Set for headings only. */
  readonly heading: { readonly level: number; readonly text: string } | null
  /** Start of each direct part of a list, quote or footnote (its items, its blocks), in order. */
  readonly partStarts: ReadonlyArray<number>
  /** Start of each deeper block inside it, in order. */
  readonly innerStarts: ReadonlyArray<number>
  /** Code, tables and HTML inside; the block itself when it is one of these. */
  readonly atoms: ReadonlyArray<Span>
}

/** A top-level heading; its text is plain and at most 200 units long. */
export interface Heading extends Span {
  readonly level: number
  readonly text: string
}

/** The structure of a document as chunking and links need it, with offsets into the whole source. */
export interface ParsedMarkdown {
  readonly source: string
  readonly bodyStart: number
  readonly blocks: ReadonlyArray<Block>
  readonly headings: ReadonlyArray<Heading>
  /** Text outside code and HTML blocks, at any depth, that contains an opening bracket and may hold links. */
  readonly linkSpans: ReadonlyArray<Span>
  /** Link reference definitions: destination by normalised label. */
  readonly references: ReadonlyMap<string, string>
}

/**
 * Parses the block structure of the source from `bodyStart` on (CommonMark, tables, footnotes), without inline text.
 * Linear for any text; content nested deeper than 100 levels belongs to the surrounding block and is not parsed.
 */
export const parseMarkdown = (source: string, bodyStart: number): ParsedMarkdown => {
  const harvest = new Harvest(source, bodyStart)
  const env: Environment = { harvest }
  const rest = parser.parse(normalized(source.slice(bodyStart)), env)
  harvest.take(rest, harvest.lineCount)
  const { blocks, linkSpans } = harvest
  const headings: Array<Heading> = []
  for (const { end, heading, start } of blocks)
    if (heading !== null) headings.push({ level: heading.level, text: heading.text, start, end })
  return {
    source,
    bodyStart,
    blocks,
    headings,
    linkSpans,
    references: new Map(Object.entries(env.references ?? {}).map(([label, { href }]) => [label, href]))
  }
}

/** Returns the form in which labels of link reference definitions are compared. */
export const normalizeLabel = (label: string): string => parser.utils.normalizeReference(label)

/**
 * Returns the title of a document: that of the front matter, else its first heading of the first level, else the stem
 * of its path. A deeper heading names a section ("Ingredients"), not the document.
 */
export const documentTitle = (
  frontMatter: FrontMatter,
  parsed: Pick<ParsedMarkdown, "headings">,
  path: string
): string =>
  frontMatter.title ??
  parsed.headings.find(({ level, text }) => level === 1 && text !== "")?.text ??
  stemOf(path)

/** Characters in which the first heading is looked for: it is at the beginning, and parsing all takes seconds. */
const beginningMax = 32 * 1024

/** Returns the text of the first heading near the beginning, or null. */
export const firstHeading = (source: string): string | null => {
  const { bodyStart } = parseFrontMatter(source)
  const beginning = source.slice(0, bodyStart + beginningMax)
  return parseMarkdown(beginning, bodyStart).headings.find(({ text }) => text !== "")?.text ?? null
}

type Token = ReturnType<MarkdownIt["parse"]>[number]

interface Environment {
  readonly harvest: Harvest
  references?: Readonly<Record<string, { readonly href: string }>>
}

/**
 * Converts the tokens of each top-level block to spans as soon as the block is closed, so that the tokens can be
 * freed: five megabytes of one-letter paragraphs would otherwise take a gigabyte.
 */
class Harvest {
  readonly blocks: Array<Block> = []
  readonly linkSpans: Array<Span> = []
  private readonly lineStarts: ReadonlyArray<number>
  private from = 0
  private nextBracket: number

  constructor(
    private readonly source: string,
    bodyStart: number
  ) {
    this.lineStarts = lineStartsOf(source, bodyStart)
    this.nextBracket = bracketFrom(source, bodyStart)
  }

  get lineCount(): number {
    return this.lineStarts.length
  }

  /** Everything parsed between the last call and this line is one block. */
  take(tokens: ReadonlyArray<Token>, toLine: number): void {
    const [start, end] = this.trimmed(this.from, toLine)
    this.from = toLine
    if (start >= end) return
    const first = tokens[0]
    const tagged = first?.type === "html_block" ? headingTag.exec(this.source.slice(start, end)) : null
    const kind =
      tagged !== null ? "heading" : first === undefined ? "definition" : (kinds[first.type] ?? "paragraph")
    const partStarts: Array<number> = []
    const innerStarts: Array<number> = []
    const atoms: Array<Span> = atomic.has(kind) ? [{ start, end }] : []
    for (const token of tokens) {
      if (token.type === "inline") this.noteText(token.map)
      if (token.map === null || token.nesting < 0) continue
      if (token.type === "table_open") this.noteRows(token.map)
      if (token.level === 0 || token.type === "inline") continue
      const place = this.lineStart(token.map[0])
      const list = token.level === 1 ? partStarts : innerStarts
      if (place > (list.at(-1) ?? start)) list.push(place)
      if (atomic.has(kinds[token.type] ?? "paragraph") && atoms[0]?.start !== start) {
        const [atomStart, atomEnd] = this.trimmed(token.map[0], token.map[1])
        if (atomStart >= (atoms.at(-1)?.end ?? start) && atomEnd > atomStart) {
          atoms.push({ start: atomStart, end: Math.min(atomEnd, end) })
        }
      }
    }
    const [, tag = first?.tag.slice(1), content = tokens[1]?.content ?? ""] = tagged ?? []
    const heading =
      kind === "heading"
        ? { level: Number(tag), text: cutText(plainInline(content).replace(permalink, ""), 200) }
        : null
    this.blocks.push({ kind, start, end, heading, partStarts, innerStarts, atoms })
  }

  private lineStart(line: number): number {
    return this.lineStarts[line] ?? this.source.length
  }

  /** Returns the lines [from, to) without surrounding blank lines and the trailing line break. */
  private trimmed(from: number, to: number): readonly [number, number] {
    let [first, last] = [from, to]
    while (last > first && this.isBlank(last - 1)) last--
    while (first < last && this.isBlank(first)) first++
    return [this.lineStart(first), this.withoutBreak(this.lineStart(first), this.lineStart(last))]
  }

  private withoutBreak(start: number, end: number): number {
    let last = end
    while (
      last > start &&
      (this.source.charCodeAt(last - 1) === 10 || this.source.charCodeAt(last - 1) === 13)
    )
      last--
    return last
  }

  private isBlank(line: number): boolean {
    const end = this.lineStart(line + 1)
    for (let at = this.lineStart(line); at < end; at++) {
      const code = this.source.charCodeAt(at)
      if (code !== 32 && code !== 10 && code !== 9 && code !== 13) return false
    }
    return true
  }

  private noteText(map: readonly [number, number] | null): void {
    if (map === null) return
    const start = this.lineStart(map[0])
    const end = this.lineStart(map[1])
    if (this.nextBracket < start) this.nextBracket = bracketFrom(this.source, start)
    if (this.nextBracket < end) this.linkSpans.push({ start, end })
  }

  private noteRows(map: readonly [number, number]): void {
    for (let line = map[0]; line < map[1]; line++) this.noteText([line, line + 1])
  }
}

/** A heading written as HTML, such as `<h1 align="center">Name</h1>`, that is a block of its own. */
const headingTag = /^\s{0,3}<h([1-6])(?:\s[^<>]{0,300})?>((?:(?!<\/?h[1-6])[\s\S]){1,600})<\/h\1\s*>\s*$/iu
/** The sign of the link to a heading that some generators put behind it. */
const permalink = /\s*[¶§🔗]$/u

const kinds: Readonly<Record<string, BlockKind>> = {
  heading_open: "heading",
  paragraph_open: "paragraph",
  bullet_list_open: "list",
  ordered_list_open: "list",
  table_open: "table",
  fence: "code",
  code_block: "code",
  html_block: "html",
  blockquote_open: "quote",
  footnote_reference_open: "footnote",
  hr: "rule"
}
const atomic: ReadonlySet<BlockKind> = new Set<BlockKind>(["code", "table", "html", "definition"])

const makeParser = (): MarkdownIt => {
  const markdown = new MarkdownIt("default", { html: true })
  addFootnotes(markdown)
  markdown.core.ruler.enableOnly(["block"])
  // Destinations are resolved against vault paths, so they must stay as written.
  markdown.normalizeLink = (url) => url
  markdown.validateLink = () => true
  // Runs before each block; at level 0 everything before `line` is closed.
  markdown.block.ruler.before("table", "harvest", (state, line, _endLine, silent) => {
    if (!silent && state.level === 0 && isEnvironment(state.env)) {
      state.env.harvest.take(state.tokens, line)
      state.tokens.length = 0
    }
    return false
  })
  return markdown
}

const isEnvironment = (env: unknown): env is Environment =>
  typeof env === "object" && env !== null && "harvest" in env && env.harvest instanceof Harvest

const parser = makeParser()

/** Normalizes like the parser, at no cost for most texts: line breaks as LF, no NUL. */
const normalized = (text: string): string => {
  const broken = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text
  return broken.includes("\0") ? broken.replaceAll("\0", "\ufffd") : broken
}

/** Returns line starts; a line ends with LF, CR LF or CR, as in the parser. */
const lineStartsOf = (source: string, from: number): ReadonlyArray<number> => {
  const starts = [from]
  if (!source.includes("\r", from)) {
    for (let at = source.indexOf("\n", from); at >= 0; at = source.indexOf("\n", at + 1)) starts.push(at + 1)
    return starts
  }
  for (let at = from; at < source.length; at++) {
    const code = source.charCodeAt(at)
    if (code === 10 || (code === 13 && source.charCodeAt(at + 1) !== 10)) starts.push(at + 1)
  }
  return starts
}

const bracketFrom = (source: string, from: number): number => {
  const at = source.indexOf("[", from)
  return at < 0 ? source.length : at
}
