import type * as Context from "effect/Context"
import type { Ids } from "../../platform/kernel/index.js"
import { ByteWriter } from "./bytes.js"
import type { NewSegment } from "./store.js"

/*
 * A segment is immutable: posting lists of a set of chunks, which it numbers 0.. by ascending label (ordinals).
 *
 *   directory  version, chunks, labels (as differences), lengths, tie keys, first term of each block
 *   block      entries by ascending term (UTF-16 units); every 16th is a restart, written without a shared prefix;
 *              then the offsets of the restarts and their number, four bytes each
 *   entry      shared prefix, suffix, chunks that hold the term, bytes of postings, bytes of positions, both
 *   postings   per chunk: (difference of ordinals) * 2 + 1 for a single occurrence at a position of one byte;
 *              otherwise (difference of ordinals) * 2, then occurrences * 4 + (0, 1 or 2 for 1, 2 or 4 bytes a position)
 *   positions  per chunk: positions as differences, the first from 0, all of as many bytes as the largest needs: the
 *              positions of a chunk that nobody asks for are passed over without being read
 *
 * Equal content gives equal bytes, however it came about.
 */

/** Changes with the analysis or the encoding, so that an older index is rebuilt. */
export const segmentFormat = 4

/** Size at which a block is closed; a long entry may exceed it. */
const blockBytesAim = 16 * 1024
const entriesPerRestart = 16

/** An analysed chunk, the input of the index. */
export interface IndexedChunk {
  readonly label: number
  /** Number of words for length normalisation. */
  readonly length: number
  /** Orders equal scores before labels do; derived from the content, so it does not depend on history. */
  readonly tieKey: number
  /** The terms in order of occurrence, repeated for each occurrence. */
  readonly terms: ReadonlyArray<string>
  /** Position of each occurrence; ascending per term. */
  readonly positions: ReadonlyArray<number>
}

/** The data of a chunk that is stored beside its postings. */
export type ChunkFigures = Omit<IndexedChunk, "terms" | "positions">

/** The decoded directory of a segment. */
export interface SegmentDirectory {
  /** Ascending; the index is the ordinal. */
  readonly labels: Int32Array
  readonly lengths: Int32Array
  readonly tieKeys: Uint32Array
  /** The smallest term of each block, ascending. */
  readonly firstTerms: ReadonlyArray<string>
}

export interface EncodedSegment {
  readonly directory: Uint8Array
  readonly blocks: ReadonlyArray<Uint8Array>
}

/** A posting list inside a block. Postings are in [postings, positions), positions in [positions, end). */
export interface PostingList {
  readonly source: Uint8Array
  readonly chunkCount: number
  readonly postings: number
  readonly positions: number
  readonly end: number
}

/** Encodes a segment over these chunks; labels must differ. */
export const encodeSegment = (chunks: ReadonlyArray<IndexedChunk>): EncodedSegment => {
  const ordered = [...chunks].sort((a, b) => a.label - b.label)
  const { ids, ordinals, places, starts } = sortByTerm(ordered)
  const blocks = new BlockWriter()
  const list = new PostingWriter()
  // Without a comparator, `sort` compares UTF-16 units on every machine.
  for (const term of [...ids.keys()].sort()) {
    const id = ids.get(term) ?? 0
    const end = starts[id + 1] ?? 0
    for (let from = starts[id] ?? 0; from < end; ) {
      const ordinal = ordinals[from] ?? 0
      let to = from + 1
      while (to < end && ordinals[to] === ordinal) to += 1
      list.add(ordinal, places, from, to)
      from = to
    }
    blocks.add(term, list)
    list.clear()
  }
  return blocks.finish(ordered)
}

/**
 * Sorts all occurrences by term: those of term n are in [starts[n], starts[n + 1]), by chunk and position. A counting
 * sort, so that no list per chunk or term is allocated.
 */
const sortByTerm = (ordered: ReadonlyArray<IndexedChunk>) => {
  const ids = new Map<string, number>()
  const counts: Array<number> = []
  const size = ordered.reduce((sum, { terms }) => sum + terms.length, 0)
  const termAt = new Int32Array(size)
  let at = 0
  for (const { terms } of ordered) {
    for (const term of terms) {
      let id = ids.get(term)
      if (id === undefined) {
        id = counts.length
        ids.set(term, id)
        counts.push(0)
      }
      counts[id] = (counts[id] ?? 0) + 1
      termAt[at++] = id
    }
  }
  const starts = new Int32Array(counts.length + 1)
  counts.forEach((count, id) => {
    starts[id + 1] = (starts[id] ?? 0) + count
  })
  const next = starts.slice()
  const ordinals = new Int32Array(size)
  const places = new Int32Array(size)
  at = 0
  ordered.forEach(({ positions }, ordinal) => {
    for (const position of positions) {
      const id = termAt[at++] ?? 0
      const place = next[id] ?? 0
      next[id] = place + 1
      ordinals[place] = ordinal
      places[place] = position
    }
  })
  return { ids, starts, ordinals, places }
}

/** Writes one posting list; chunks come by ascending ordinal. */
export class PostingWriter {
  readonly postings = new ByteWriter()
  readonly positions = new ByteWriter()
  chunkCount = 0
  #ordinal = 0

  /** Adds a chunk with the positions in [from, to), ascending. */
  add(ordinal: number, positions: Int32Array, from: number, to: number): void {
    let largest = 0
    let before = 0
    for (let i = from; i < to; i++) {
      const position = positions[i] ?? 0
      if (position - before > largest) largest = position - before
      before = position
    }
    const code = largest < 0x100 ? 0 : largest < 0x10000 ? 1 : 2
    this.open(ordinal, to - from, code)
    before = 0
    for (let i = from; i < to; i++) {
      const position = positions[i] ?? 0
      this.positions.fixed(position - before, 1 << code)
      before = position
    }
  }

  /** Adds a chunk without its positions, which the caller copies; `code` 0, 1 or 2 for 1, 2 or 4 bytes each. */
  open(ordinal: number, occurrences: number, code: number): void {
    const difference = ordinal - this.#ordinal
    if (occurrences === 1 && code === 0) this.postings.varint(difference * 2 + 1)
    else {
      this.postings.varint(difference * 2)
      this.postings.varint(occurrences * 4 + code)
    }
    this.#ordinal = ordinal
    this.chunkCount += 1
  }

  clear(): void {
    this.postings.clear()
    this.positions.clear()
    this.chunkCount = 0
    this.#ordinal = 0
  }
}

/** Splits posting lists, which come by ascending term, into blocks. */
export class BlockWriter {
  readonly #blocks: Array<Uint8Array> = []
  readonly #firstTerms: Array<string> = []
  readonly #block = new ByteWriter(2 * blockBytesAim)
  #restarts: Array<number> = []
  #entries = 0
  #before = ""

  add(term: string, list: PostingWriter): void {
    const block = this.#block
    if (this.#entries === 0) this.#firstTerms.push(term)
    const restart = this.#entries % entriesPerRestart === 0
    if (restart) this.#restarts.push(block.length)
    const shared = restart ? 0 : sharedPrefix(this.#before, term)
    block.varint(shared)
    block.text(term, shared)
    block.varint(list.chunkCount)
    block.varint(list.postings.length)
    block.varint(list.positions.length)
    block.append(list.postings)
    block.append(list.positions)
    this.#before = term
    this.#entries += 1
    if (block.length >= blockBytesAim) this.#close()
  }

  /** Returns the segment; chunks by ascending label. */
  finish(chunks: ReadonlyArray<ChunkFigures>): EncodedSegment {
    this.#close()
    const directory = new ByteWriter(64 + chunks.length * 8)
    directory.varint(segmentFormat)
    directory.varint(chunks.length)
    let before = 0
    for (const { label } of chunks) {
      directory.varint(label - before)
      before = label
    }
    for (const { length } of chunks) directory.varint(length)
    for (const { tieKey } of chunks) directory.uint32(tieKey)
    directory.varint(this.#firstTerms.length)
    for (const term of this.#firstTerms) directory.text(term)
    return { directory: directory.finish(), blocks: this.#blocks }
  }

  #close(): void {
    if (this.#entries === 0) return
    for (const offset of this.#restarts) this.#block.uint32(offset)
    this.#block.uint32(this.#restarts.length)
    this.#blocks.push(this.#block.finish())
    this.#block.clear()
    this.#restarts = []
    this.#entries = 0
    this.#before = ""
  }
}

const sharedPrefix = (a: string, b: string): number => {
  const most = Math.min(a.length, b.length)
  let shared = 0
  while (shared < most && a.charCodeAt(shared) === b.charCodeAt(shared)) shared += 1
  return shared
}

type Hash = Context.Tag.Service<Ids>["sha256"]

/** Makes a segment ready to be stored, named by its format and content hash. */
export const sealSegment = (
  sha256: Hash,
  encoded: EncodedSegment,
  chunks: ReadonlyArray<{ readonly label: number; readonly length: number }>
): NewSegment => {
  const parts = [encoded.directory, ...encoded.blocks]
  return {
    ...encoded,
    id: segmentIdOf(
      sha256,
      parts.map((part) => sha256(part))
    ),
    chunkCount: chunks.length,
    liveLength: chunks.reduce((sum, { length }) => sum + length, 0),
    firstLabel: chunks.reduce((least, { label }) => Math.min(least, label), Number.MAX_SAFE_INTEGER),
    lastLabel: chunks.reduce((most, { label }) => Math.max(most, label), 0),
    sizeBytes: parts.reduce((sum, part) => sum + part.length, 0)
  }
}

/** Returns the id of a segment from the hashes of its directory and its blocks, in this order. */
export const segmentIdOf = (sha256: Hash, hashes: ReadonlyArray<string>): string =>
  `${formatPrefix}${sha256(hashes.join())}`

const formatPrefix = `${segmentFormat}-`

/** Whether the segment has the present format and analysis version. */
export const isCurrentFormat = (id: string): boolean => id.startsWith(formatPrefix)
