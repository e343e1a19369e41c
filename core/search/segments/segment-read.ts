import { ByteReader } from "./bytes.js"
import { type PostingList, type SegmentDirectory, segmentFormat } from "./segment.js"

/** Decodes a directory in the format of `segment.ts`; throws a RangeError for another format. */
export const decodeDirectory = (bytes: Uint8Array): SegmentDirectory => {
  const reader = new ByteReader(bytes)
  const format = reader.varint()
  if (format !== segmentFormat)
    throw new RangeError(`A segment of format ${format}; ${segmentFormat} is known.`)
  const count = reader.varint()
  const labels = new Int32Array(count)
  let label = 0
  for (let i = 0; i < count; i++) {
    label += reader.varint()
    labels[i] = label
  }
  const lengths = new Int32Array(count)
  for (let i = 0; i < count; i++) lengths[i] = reader.varint()
  const tieKeys = new Uint32Array(count)
  for (let i = 0; i < count; i++) tieKeys[i] = reader.uint32()
  const firstTerms = Array.from({ length: reader.varint() }, () => reader.text())
  return { labels, lengths, tieKeys, firstTerms }
}

/** Returns the block that may hold the term; -1 when none does. */
export const blockOf = ({ firstTerms }: SegmentDirectory, term: string): number => {
  let low = 0
  let high = firstTerms.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((firstTerms[middle] ?? "") <= term) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Returns the blocks whose terms may begin with one of these. */
export const blocksUnder = (
  directory: SegmentDirectory,
  heads: ReadonlyArray<string>
): ReadonlyArray<number> => {
  const blocks = new Set<number>()
  for (const head of heads) {
    const last = blockOf(directory, `${head}\uffff`)
    for (let block = Math.max(0, blockOf(directory, head)); block <= last; block++) blocks.add(block)
  }
  return [...blocks]
}

/** Returns the ordinal of a label; -1 when the segment does not hold it. */
export const ordinalOf = ({ labels }: SegmentDirectory, label: number): number => {
  let low = 0
  let high = labels.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = labels[middle] ?? 0
    if (found === label) return middle
    if (found < label) low = middle + 1
    else high = middle - 1
  }
  return -1
}

/** Returns the posting list of a term in a block; null when it is not there. Builds no strings on the way. */
export const findPostings = (block: Uint8Array, term: string): PostingList | null => {
  const reader = new ByteReader(block)
  const run = runOf(reader, term)
  if (run === null) return null
  reader.at = run.from
  // Length of the prefix that the term shares with the previous, smaller entry.
  let common = 0
  while (reader.at < run.end) {
    const shared = reader.varint()
    if (shared < common) return null
    const { common: met, order } =
      shared > common ? { common, order: skipText(reader) } : suffixAgainst(reader, term, shared)
    if (order > 0) return null
    common = met
    const list = readList(reader)
    if (order === 0) return list
  }
  return null
}

/** Returns where the entries between two restarts lie that may hold the term; null when all terms are larger. */
const runOf = (reader: ByteReader, term: string): { readonly from: number; readonly end: number } | null => {
  const { length } = reader.source
  reader.at = length - 4
  const restarts = reader.uint32()
  const table = length - 4 - restarts * 4
  const restart = (index: number): number => {
    reader.at = table + index * 4
    return reader.uint32()
  }
  let low = 0
  let high = restarts
  while (low < high) {
    const middle = (low + high) >>> 1
    reader.at = restart(middle)
    reader.varint()
    if (suffixAgainst(reader, term, 0).order <= 0) low = middle + 1
    else high = middle
  }
  return low === 0 ? null : { from: restart(low - 1), end: low < restarts ? restart(low) : table }
}

/** Calls a function with each term of a block that begins with `head`, in order. */
export const eachTermUnder = (block: Uint8Array, head: string, use: (term: string) => void): void => {
  const from = runOf(new ByteReader(block), head)?.from ?? 0
  for (const entries = new EntryReader(block, from); entries.next(); ) {
    if (entries.term.startsWith(head)) use(entries.term)
    else if (entries.term > head) return
  }
}

/** Compares a stored suffix with the rest of the term, from `from` on; leaves the reader after the suffix. */
const suffixAgainst = (reader: ByteReader, term: string, from: number): { common: number; order: number } => {
  const length = reader.varint()
  let common = from
  let order = 0
  for (let i = 0; i < length; i++) {
    const unit = reader.varint()
    if (order !== 0) continue
    const index = from + i
    if (index >= term.length) order = 1
    else if (unit === term.charCodeAt(index)) common += 1
    else order = unit < term.charCodeAt(index) ? -1 : 1
  }
  return { common, order: order === 0 && from + length < term.length ? -1 : order }
}

/** Skips a suffix of an entry that is known to be smaller than the term. */
const skipText = (reader: ByteReader): number => {
  for (let left = reader.varint(); left > 0; left--) reader.varint()
  return -1
}

const readList = (reader: ByteReader): PostingList => {
  const chunkCount = reader.varint()
  const postingsLength = reader.varint()
  const positionsLength = reader.varint()
  const postings = reader.at
  const positions = postings + postingsLength
  const end = positions + positionsLength
  reader.at = end
  return { source: reader.source, chunkCount, postings, positions, end }
}

/** Iterates over the entries of one block in order. */
export class EntryReader {
  term = ""
  list: PostingList
  readonly #reader: ByteReader
  readonly #end: number

  constructor(block: Uint8Array, at = 0) {
    const tail = new ByteReader(block, block.length - 4)
    this.#end = block.length - 4 - tail.uint32() * 4
    this.#reader = new ByteReader(block, at)
    this.list = { source: block, chunkCount: 0, postings: at, positions: at, end: at }
  }

  /** Moves to the next entry; false at the end of the block. */
  next(): boolean {
    const reader = this.#reader
    if (reader.at >= this.#end) return false
    const shared = reader.varint()
    this.term = reader.text(this.term.slice(0, shared))
    this.list = readList(reader)
    return true
  }
}
