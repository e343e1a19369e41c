import { isSpace } from "./line-scanner.js"
import type { Block, ParsedMarkdown } from "./parse-markdown.js"
import { contextOf, introductionIn } from "./passage-context.js"
import { type CutBounds, cutBlock } from "./split-block.js"

/** A passage before it has an id; `text` is exactly `source.slice(start, end)`. */
export interface ChunkDraft {
  readonly ordinal: number
  /**
   * The enclosing headings from the top, that of its own section last; behind them what a passage that begins inside a
   * block needs of it: see `passage-context.ts`.
   */
  readonly headingPath: ReadonlyArray<string>
  readonly text: string
  readonly start: number
  readonly end: number
  /** How many earlier chunks of the document have the same heading path and text. */
  readonly occurrence: number
  /** The page of the original file on which it begins, from 1; absent for texts without pages. */
  readonly page?: number
}

/** Smallest `maxChars` that still leaves a choice of where to cut. */
const minChunkChars = 16

/**
 * Splits a document into passages along its structure. Each heading starts a new chunk; a heading without text of its
 * own is joined with what follows. Blocks are packed up to `maxChars`. Code, tables and HTML are split only when they
 * alone exceed it, and then between lines. A larger list, quote or paragraph is split between its parts, else between
 * sentences; only then the next chunk repeats the last sentences, up to `overlapChars` (at most half of `maxChars`).
 * Guarantees: chunks are in order and inside the body; each is at most `maxChars` long, and a longer line, word or row
 * is cut between characters; together they cover everything that is not white space; each starts and ends with
 * non-white space, except for the indentation of its first line. Deterministic.
 *
 * @throws RangeError when `maxChars` is below 16 or `overlapChars` is negative.
 */
export const chunkDocument = (
  parsed: Pick<ParsedMarkdown, "source" | "blocks">,
  options: CutBounds
): ReadonlyArray<ChunkDraft> => {
  if (!(options.maxChars >= minChunkChars) || !(options.overlapChars >= 0)) {
    throw new RangeError(`maxChars must be at least ${minChunkChars} and overlapChars at least 0.`)
  }
  const overlapChars = Math.min(options.overlapChars, Math.floor(options.maxChars / 2))
  const packer = new Packer(parsed.source, { ...options, overlapChars })
  for (const block of parsed.blocks) packer.add(block)
  return packer.finish()
}

interface Open {
  start: number
  end: number
  /** The block in which it begins, and the sentence that introduces it. */
  readonly first: Opening
  /** False while it holds only headings. */
  hasBody: boolean
}

interface Opening {
  readonly block: Block
  readonly lead: string
}

class Packer {
  private readonly drafts: Array<ChunkDraft> = []
  private readonly seen = new Occurrences()
  private readonly path: Array<{ readonly level: number; readonly text: string }> = []
  private open: Open | null = null
  private lead = ""
  /** How many pages have begun. */
  private pages = 0

  constructor(
    private readonly source: string,
    private readonly bounds: CutBounds
  ) {}

  add(block: Block): void {
    const { pageStarts = [] } = this.bounds
    const before = this.pages
    while ((pageStarts[this.pages] ?? Number.POSITIVE_INFINITY) <= block.start) this.pages += 1
    if (this.pages > before && this.open?.hasBody === true) this.flush()
    if (block.heading !== null) {
      // The open section ends here; headings alone wait for the next block if it fits.
      if (this.open?.hasBody === true || !this.fits(block)) this.flush()
      while ((this.path.at(-1)?.level ?? 0) >= block.heading.level) this.path.pop()
      this.path.push(block.heading)
    }
    const hasBody = block.heading === null
    const first = { block, lead: this.lead }
    if (this.fits(block)) {
      const openPage = this.open ?? { start: block.start, first }
      this.open = { start: openPage.start, end: block.end, first: openPage.first, hasBody }
    } else if (block.end - block.start <= this.bounds.maxChars && !this.splitsWithHeadings(block)) {
      this.flush()
      this.open = { start: block.start, end: block.end, first, hasBody }
    } else {
      this.split(first)
    }
    this.lead = introductionIn(this.source, block)
  }

  finish(): ReadonlyArray<ChunkDraft> {
    this.flush()
    return this.drafts
  }

  private fits(block: Block): boolean {
    return block.end - (this.open?.start ?? block.start) <= this.bounds.maxChars
  }

  /** Prose that would fit alone but not with its headings is split rather than separated from them. */
  private splitsWithHeadings(block: Block): boolean {
    return this.open?.hasBody === false && block.atoms[0]?.start !== block.start && block.heading === null
  }

  private split(first: Opening): void {
    const { block } = first
    const { maxChars } = this.bounds
    // Headings that fill half a chunk become a chunk of their own, because they leave too little room.
    if (this.open !== null && (this.open.hasBody || block.start - this.open.start > maxChars / 2))
      this.flush()
    let from = this.open?.start ?? block.start
    let opening = this.open?.first ?? first
    this.open = null
    let reached = from
    while (block.end - from > maxChars) {
      const cut = cutBlock(this.source, block, from, this.bounds)
      if (from < reached && this.isBlank(reached, cut.end)) {
        // A table or part follows so closely that the overlap would be a whole chunk.
        from = reached
      } else {
        this.emit(from, cut.end, opening)
        opening = first
        reached = cut.end
        from = cut.next
      }
    }
    this.open = {
      start: this.isBlank(reached, block.end) ? reached : from,
      end: block.end,
      first: opening,
      hasBody: true
    }
    // The rest of split code must not be joined with prose: its fence is in another chunk.
    if (block.kind === "code" || block.kind === "html") this.flush()
  }

  private isBlank(from: number, to: number): boolean {
    return this.source.slice(from, to).trim() === ""
  }

  private flush(): void {
    if (this.open !== null) this.emit(this.open.start, this.open.end, this.open.first)
    this.open = null
  }

  private emit(from: number, to: number, { block, lead }: Opening): void {
    const [start, end] = trimmed(this.source, from, to)
    if (start >= end) return
    const text = this.source.slice(start, end)
    const context = contextOf(this.source, block, start, lead)
    const headings = this.path.map((heading) => heading.text)
    const headingPath = context === "" ? headings : [...headings, context]
    const occurrence = this.seen.count(headingPath, text)
    this.drafts.push({ ordinal: this.drafts.length, headingPath, text, start, end, occurrence })
  }
}

/** Numbers the passages of one document from several sources as one list, so that no two have the same identity. */
export const numbered = (
  pieces: ReadonlyArray<Pick<ChunkDraft, "headingPath" | "text" | "start" | "end" | "page">>
): ReadonlyArray<ChunkDraft> => {
  const seen = new Occurrences()
  return pieces.map(({ end, headingPath, page, start, text }, ordinal) => {
    const occurrence = seen.count(headingPath, text)
    const draft = { ordinal, headingPath, text, start, end, occurrence }
    return page === undefined ? draft : { ...draft, page }
  })
}

/** Counts equal texts under equal headings; the common case of a unique text costs one look-up. */
class Occurrences {
  private readonly firstPaths = new Map<string, ReadonlyArray<string>>()
  private readonly counts = new Map<string, number>()

  /** Counts an occurrence and returns the number of earlier ones. */
  count(headingPath: ReadonlyArray<string>, text: string): number {
    const first = this.firstPaths.get(text)
    if (first === undefined) {
      this.firstPaths.set(text, headingPath)
      return 0
    }
    const key = JSON.stringify([headingPath, text])
    const known = this.counts.get(key)
    const before = known ?? (isSamePath(first, headingPath) ? 1 : 0)
    this.counts.set(key, before + 1)
    return before
  }
}

const isSamePath = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((text, depth) => text === b[depth])

/** Trims white space at both ends but keeps the indentation of the first line, which may be Markdown syntax. */
const trimmed = (source: string, from: number, to: number): readonly [number, number] => {
  let [start, end] = [from, to]
  while (end > start && isSpace(source.charCodeAt(end - 1))) end--
  while (start < end && isSpace(source.charCodeAt(start))) start++
  let line = start
  while (line > from && (source.charCodeAt(line - 1) === 32 || source.charCodeAt(line - 1) === 9)) line--
  const atLineStart = line === 0 || source.charCodeAt(line - 1) === 10 || source.charCodeAt(line - 1) === 13
  return [atLineStart ? line : start, end]
}

type Piece = Omit<ChunkDraft, "ordinal" | "occurrence">

/**
 * Returns passages of the front matter, so that its fields (status, owner, author) can be found and cited like any
 * other sentence. Split between lines; a longer line is left out. Empty for an empty block.
 */
export const frontMatterChunks = (
  source: string,
  bodyStart: number,
  maxChars: number
): ReadonlyArray<Piece> => {
  const start = source.startsWith("\ufeff") ? 1 : 0
  const block = source.slice(start, bodyStart).trimEnd()
  if (!saysSomething(block)) return []
  if (block.length <= maxChars) return [draft(block, start)]
  const pieces: Array<Piece> = []
  let from = start
  let at = start
  for (const line of block.split(/(?<=\n)/u)) {
    if (at + line.length - from > maxChars) {
      if (at > from) pieces.push(draft(source.slice(from, at), from))
      from = at
    }
    at += line.length
    if (line.length > maxChars) from = at
  }
  if (at > from) pieces.push(draft(source.slice(from, at), from))
  return pieces.filter(({ text }) => saysSomething(text))
}

const saysSomething = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

const draft = (raw: string, start: number): Piece => {
  const text = raw.trimEnd()
  return { headingPath: [], text, start, end: start + text.length }
}
