import { ByteWriter } from "./bytes.js"

/*
 * A segment is immutable: posting lists of a set of chunks, which it numbers 0.. by ascending label (ordinals).
 *
 *   directory  version, chunks, labels (as differences), lengths, tie keys, first term of each block
 *   block      entries by ascending term (UTF-16 units); every 16th is a restart, written without a shared prefix;
 *              then the offsets of the restarts and their number, four bytes each
 *   entry      shared prefix, suffix, chunks that hold the term, bytes of postings, bytes of positions, both
 *   postings   per chunk: (difference of ordinals) * 2 + (1 when the term occurs once), else the count follows
 *   positions  per chunk: positions as differences, the first from 0
 *
 * Equal content gives equal bytes, however it came about.
 */

/** Changes whenever the analysis or the encoding does, so that an index made before is rebuilt, not misread. */
export const segmentFormat = 1

/** A block is closed when it has grown to this; a long entry may make one larger. */
const blockBytesAim = 16 * 1024
const entriesPerRestart = 16

/** A chunk as the index takes it. */
export interface IndexedChunk {
  readonly label: number
  /** Words that count for its length. */
  readonly length: number
  /** Decides between equal scores before labels do; made from the content, so it does not depend on history. */
  readonly tieKey: number
  /** Every term with its positions, ascending. */
  readonly terms: ReadonlyMap<string, ReadonlyArray<number>>
}

/** What of a segment is read at once. */
export interface SegmentDirectory {
  /** Ascending; the index in it is the ordinal. */
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

/** A posting list inside a block. Postings lie in [postings, positions), positions in [positions, end). */
export interface PostingList {
  readonly source: Uint8Array
  readonly chunkCount: number
  readonly postings: number
  readonly positions: number
  readonly end: number
}

/** A segment over these chunks; labels must differ. */
export const encodeSegment = (chunks: ReadonlyArray<IndexedChunk>): EncodedSegment => {
  const ordered = [...chunks].sort((a, b) => a.label - b.label)
  const holders = new Map<string, Array<number>>()
  ordered.forEach(({ terms }, ordinal) => {
    for (const term of terms.keys()) {
      const ordinals = holders.get(term)
      if (ordinals === undefined) holders.set(term, [ordinal])
      else ordinals.push(ordinal)
    }
  })
  const blocks = new BlockWriter()
  const list = new PostingWriter()
  for (const term of [...holders.keys()].sort(byUnits)) {
    for (const ordinal of holders.get(term) ?? []) list.add(ordinal, ordered[ordinal]?.terms.get(term) ?? [])
    blocks.add(term, list)
    list.clear()
  }
  return blocks.finish(ordered)
}

/** UTF-16 order: the order of JavaScript's own comparison, on every machine. */
const byUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** One posting list in the making; chunks come by ascending ordinal. */
export class PostingWriter {
  readonly postings = new ByteWriter()
  readonly positions = new ByteWriter()
  chunkCount = 0
  #ordinal = 0

  /** Adds a chunk with its positions, ascending. */
  add(ordinal: number, positions: ReadonlyArray<number>): void {
    this.open(ordinal, positions.length)
    let before = 0
    for (const position of positions) {
      this.positions.varint(position - before)
      before = position
    }
  }

  /** Adds a chunk without its positions, which the caller then copies. */
  open(ordinal: number, occurrences: number): void {
    const difference = ordinal - this.#ordinal
    this.postings.varint(difference * 2 + (occurrences === 1 ? 1 : 0))
    if (occurrences !== 1) this.postings.varint(occurrences)
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

/** Cuts posting lists, which come by ascending term, into blocks. */
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

  /** The segment; the chunks by ascending label. */
  finish(chunks: ReadonlyArray<Omit<IndexedChunk, "terms">>): EncodedSegment {
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
