import * as Context from "effect/Context"
import * as Either from "effect/Either"
import { type Block, type ChunkDraft, numbered, type ParsedMarkdown } from "../markdown/index.js"

/** A passage as a chunker cuts it: its place in the text, and the headings that it stands under, from the top. */
export interface Cut {
  /** Offset of its first UTF-16 unit. */
  readonly start: number
  /** Offset behind its last UTF-16 unit. */
  readonly end: number
  readonly headingPath: ReadonlyArray<string>
}

/** A parsed text to be cut. Offsets count UTF-16 units of the whole text, front matter included. */
export interface TextToCut {
  readonly path: string
  /** The whole text, in which comments are blank. */
  readonly text: string
  /** Where the front matter ends: passages begin at or behind it. */
  readonly bodyStart: number
  /** The top-level blocks in order. */
  readonly blocks: ReadonlyArray<Pick<Block, "kind" | "start" | "end" | "heading">>
  /** Offsets at which the pages of an original begin; empty for a text without pages. */
  readonly pageStarts: ReadonlyArray<number>
  /** The settings of the workspace for the built-in chunker. */
  readonly maxChars: number
  readonly overlapChars: number
}

/** A chunker of the host. */
export interface OwnChunker {
  /** With `version` its identity: when either changes, the next ingest cuts all documents again. */
  readonly name: string
  readonly version: string
  /** Returns the passages of a text by their starts. Pure: equal texts give equal passages. */
  readonly cut: (text: TextToCut) => ReadonlyArray<Cut>
}

/**
 * A product implements it to cut documents into passages in its own way, such as by clause or by speaker. Default:
 * null, the built-in chunker, which cuts along headings and blocks.
 */
export class Chunker extends Context.Reference<Chunker>()("kanon/Chunker", {
  defaultValue: (): OwnChunker | null => null
}) {}

/** The identity under which a workspace notes who cut its passages; null for the built-in chunker. */
export const chunkerId = (chunker: OwnChunker | null): string | null =>
  chunker === null ? null : `${chunker.name} ${chunker.version}`

/** Longest passage in UTF-16 units: the largest `chunking.maxChars` of the settings. */
const passageCharsMax = 20_000
/** Passages of one text: one for each 16 units, as the built-in chunker makes at most, and some for a short text. */
const passagesMax = (text: string): number => 64 + Math.ceil(text.length / 16)
const headingsMax = 64
const headingCharsMax = 1000

/** Returns the passages that a chunker cuts, or a sentence about what is wrong with them. */
export const cutBy = (
  { cut, name }: OwnChunker,
  asked: Omit<TextToCut, "blocks"> & Pick<ParsedMarkdown, "blocks">
): Either.Either<ReadonlyArray<ChunkDraft>, string> => {
  const refuse = (why: string) => Either.left(`The chunker ${name} ${why}.`)
  let cuts: ReadonlyArray<Cut>
  try {
    const blocks = asked.blocks.map(({ end, heading, kind, start }) => ({ kind, start, end, heading }))
    cuts = cut({ ...asked, blocks })
  } catch (thrown) {
    return refuse(`failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  }
  if (!Array.isArray(cuts)) return refuse("returned no list of passages")
  if (cuts.length > passagesMax(asked.text))
    return refuse(`returned ${cuts.length} passages, more than ${passagesMax(asked.text)}`)
  let last = asked.bodyStart
  const pieces: Array<Parameters<typeof numbered>[0][number]> = []
  for (const [place, one] of cuts.entries()) {
    const fault = faultOf(one, asked.text, last)
    if (fault !== null) return refuse(`returned a passage ${fault} (passage ${place})`)
    const { end, headingPath, start } = one
    pieces.push({ start, end, headingPath: [...headingPath], text: asked.text.slice(start, end) })
    last = start
  }
  return Either.right(numbered(pieces))
}

/** What is wrong with a passage that must begin at or behind `from`; null when nothing is. */
const faultOf = (one: Cut, text: string, from: number): string | null => {
  if (typeof one !== "object" || one === null) return "that is no object"
  const { end, headingPath, start } = one
  if (!Number.isInteger(start) || !Number.isInteger(end)) return "without whole offsets"
  if (start < from) return "that begins before the one before it, or in the front matter"
  if (end > text.length) return "outside the text"
  if (text.slice(start, end).trim() === "") return "without text"
  if (end - start > passageCharsMax) return `of more than ${passageCharsMax} characters`
  if (isInsidePair(text, start) || isInsidePair(text, end)) return "that splits a character"
  const isPath =
    Array.isArray(headingPath) &&
    headingPath.length <= headingsMax &&
    headingPath.every((heading) => typeof heading === "string" && heading.length <= headingCharsMax)
  return isPath ? null : "whose heading path is no short list of texts"
}

const isInsidePair = (text: string, at: number): boolean =>
  /^[\uD800-\uDBFF]$/.test(text.charAt(at - 1)) && /^[\uDC00-\uDFFF]$/.test(text.charAt(at))
