import { isSpace } from "./line-scanner.js"
import type { Block, ParsedMarkdown } from "./parse-markdown.js"
import { type CutBounds, cutBlock } from "./split-block.js"

/** A passage to be; `text` is exactly `source.slice(start, end)`. */
export interface ChunkDraft {
  readonly ordinal: number
  /** The headings above it, from the top; the last one is that of its own section. */
  readonly headingPath: ReadonlyArray<string>
  readonly text: string
  readonly start: number
  readonly end: number
  /** How many earlier chunks of the document have the same heading path and text. */
  readonly occurrence: number
  /** The page of the original file on which it begins, from 1; absent for texts without pages. */
  readonly page?: number
}

/** The least `maxChars` that still leaves room to choose a place to cut. */
const minChunkChars = 16

/**
 * Cuts a document into passages that follow its structure. Each heading starts a new chunk; a heading that has
 * no text of its own goes with what follows. Blocks are packed up to `maxChars`. Code, tables and HTML are
 * torn only when they are larger than that by themselves, and then between lines. A larger list, quote or
 * paragraph is cut between its parts, else between sentences; only there the next chunk repeats the last
 * sentences, up to `overlapChars` (at most half of `maxChars`).
 *
 * Laws: chunks are in order and lie in the body; each is at most `maxChars` long, a longer line, word or row
 * being cut between characters; together they cover everything that is not white space; each starts and ends
 * with what is not white space, save the indentation of its first line. Same input, same chunks.
 *
 * @throws RangeError when `maxChars` is below 16 or `overlapChars` negative: a programmer's mistake.
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
  /** False while it holds headings only. */
  hasBody: boolean
}

class Packer {
  private readonly drafts: Array<ChunkDraft> = []
  private readonly seen = new Occurrences()
  private readonly path: Array<{ readonly level: number; readonly text: string }> = []
  private open: Open | null = null
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
      // A section that has begun ends here; headings alone wait for what follows, if there is room.
      if (this.open?.hasBody === true || !this.fits(block)) this.flush()
      while ((this.path.at(-1)?.level ?? 0) >= block.heading.level) this.path.pop()
      this.path.push(block.heading)
    }
    const hasBody = block.heading === null
    if (this.fits(block)) {
      this.open = { start: this.open?.start ?? block.start, end: block.end, hasBody }
    } else if (block.end - block.start <= this.bounds.maxChars && !this.splitsWithHeadings(block)) {
      this.flush()
      this.open = { start: block.start, end: block.end, hasBody }
    } else {
      this.split(block)
    }
  }

  finish(): ReadonlyArray<ChunkDraft> {
    this.flush()
    return this.drafts
  }

  private fits(block: Block): boolean {
    return block.end - (this.open?.start ?? block.start) <= this.bounds.maxChars
  }

  /** Prose that would fit alone, but not under its headings, is cut rather than parted from them. */
  private splitsWithHeadings(block: Block): boolean {
    return this.open?.hasBody === false && block.atoms[0]?.start !== block.start && block.heading === null
  }

  private split(block: Block): void {
    const { maxChars } = this.bounds
    // Headings that fill half a chunk stand alone: behind them too little room is left.
    if (this.open !== null && (this.open.hasBody || block.start - this.open.start > maxChars / 2))
      this.flush()
    let from = this.open?.start ?? block.start
    this.open = null
    let reached = from
    while (block.end - from > maxChars) {
      const cut = cutBlock(this.source, block, from, this.bounds)
      if (from < reached && this.isBlank(reached, cut.end)) {
        // A table or a part follows so soon that the overlap alone would be a chunk.
        from = reached
      } else {
        this.emit(from, cut.end)
        reached = cut.end
        from = cut.next
      }
    }
    this.open = { start: this.isBlank(reached, block.end) ? reached : from, end: block.end, hasBody: true }
    // What is left of torn code must not run into prose: its fence is in another chunk.
    if (block.kind === "code" || block.kind === "html") this.flush()
  }

  private isBlank(from: number, to: number): boolean {
    return this.source.slice(from, to).trim() === ""
  }

  private flush(): void {
    if (this.open !== null) this.emit(this.open.start, this.open.end)
    this.open = null
  }

  private emit(from: number, to: number): void {
    const [start, end] = trimmed(this.source, from, to)
    if (start >= end) return
    const text = this.source.slice(start, end)
    const headingPath = this.path.map((heading) => heading.text)
    const occurrence = this.seen.count(headingPath, text)
    this.drafts.push({ ordinal: this.drafts.length, headingPath, text, start, end, occurrence })
  }
}

/** Passages of one document from several makers, in this order, counted as one list: no two are the same. */
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

/** How often the same text came under the same headings; texts that come once, nearly all, cost one look. */
class Occurrences {
  private readonly firstPaths = new Map<string, ReadonlyArray<string>>()
  private readonly counts = new Map<string, number>()

  /** Notes one more and gives how many there were before. */
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

/** Without white space at either end, but with the indentation of the first line: it may be Markdown's. */
const trimmed = (source: string, from: number, to: number): readonly [number, number] => {
  let [start, end] = [from, to]
  while (end > start && isSpace(source.charCodeAt(end - 1))) end--
  while (start < end && isSpace(source.charCodeAt(start))) start++
  let line = start
  while (line > from && (source.charCodeAt(line - 1) === 32 || source.charCodeAt(line - 1) === 9)) line--
  const atLineStart = line === 0 || source.charCodeAt(line - 1) === 10 || source.charCodeAt(line - 1) === 13
  return [atLineStart ? line : start, end]
}
