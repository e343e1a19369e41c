import type { PostingList } from "./segment.js"

/** Iterates over a posting list chunk by chunk, without decoding positions that are not requested. */
export class PostingReader {
  ordinal = 0
  occurrences = 0
  /** 0, 1 or 2: positions of 1, 2 or 4 bytes. */
  code = 0
  /** Offset at which the positions of the chunk start. */
  places: number
  readonly #source: Uint8Array
  readonly #end: number
  #at: number
  #next: number

  constructor({ positions, postings, source }: PostingList) {
    this.#source = source
    this.#at = postings
    this.#end = positions
    this.places = positions
    this.#next = positions
  }

  /** Offset at which the positions of the chunk end. */
  get placesEnd(): number {
    return this.#next
  }

  /** Moves to the next chunk; false at the end of the list. */
  next(): boolean {
    if (this.#at >= this.#end) return false
    const step = this.#varint()
    this.ordinal += step >>> 1
    if ((step & 1) === 1) {
      this.occurrences = 1
      this.code = 0
    } else {
      const counted = this.#varint()
      this.occurrences = counted >>> 2
      this.code = counted & 3
    }
    this.places = this.#next
    this.#next += this.occurrences << this.code
    return true
  }

  #varint(): number {
    const source = this.#source
    let byte = source[this.#at++] ?? 0
    let value = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = source[this.#at++] ?? 0
      value |= (byte & 127) << shift
    }
    return value
  }
}

/**
 * A decoded posting list in columns, so that ranking and look-ups do not decode the bytes of other chunks. Takes 5
 * bytes per chunk, 6 when the width of positions varies, 3 more when a chunk holds the term more than 255 times; plus
 * the positions.
 */
export interface OpenList {
  /** Ascending. */
  readonly ordinals: Int32Array
  readonly occurrences: Uint8Array | Int32Array
  /** 0, 1 or 2: positions of 1, 2 or 4 bytes; per chunk when they differ. */
  readonly codes: number | Uint8Array
  /**
   * Offsets in `source` at which the positions of every 16th chunk start; those of the chunks between follow in
   * sequence.
   */
  readonly places: Int32Array
  readonly source: Uint8Array
  /** Highest number of occurrences in one chunk. */
  readonly occurrencesMax: number
}

/** Offsets of all chunks would take two fifths of a list, and few are needed. */
const chunksPerPlace = 16

/** Returns where in the source the positions of the i-th chunk start. */
const startOf = ({ codes, occurrences, places }: OpenList, chunk: number): number => {
  const from = chunk - (chunk % chunksPerPlace)
  let at = places[from / chunksPerPlace] ?? 0
  if (typeof codes === "number") {
    let count = 0
    for (let i = from; i < chunk; i++) count += occurrences[i] ?? 0
    return at + (count << codes)
  }
  for (let i = from; i < chunk; i++) at += (occurrences[i] ?? 0) << (codes[i] ?? 0)
  return at
}

/** Decodes the columns of a list. Copies the bytes of a short list, so that it does not keep its block alive. */
export const openList = (list: PostingList): OpenList => {
  const { chunkCount, end, positions, source } = list
  const ordinals = new Int32Array(chunkCount)
  const occurrences = new Int32Array(chunkCount)
  const codes = new Uint8Array(chunkCount)
  const places = new Int32Array(Math.ceil(chunkCount / chunksPerPlace))
  let occurrencesMax = 0
  let isMixed = false
  let at = 0
  for (const reader = new PostingReader(list); reader.next(); at++) {
    ordinals[at] = reader.ordinal
    occurrences[at] = reader.occurrences
    codes[at] = reader.code
    if (reader.code !== codes[0]) isMixed = true
    if (reader.occurrences > occurrencesMax) occurrencesMax = reader.occurrences
    if (at % chunksPerPlace === 0) places[at / chunksPerPlace] = reader.places - positions
  }
  return {
    ordinals,
    occurrences: occurrencesMax < 256 ? Uint8Array.from(occurrences) : occurrences,
    codes: isMixed ? codes : (codes[0] ?? 0),
    places,
    source: source.slice(positions, end),
    occurrencesMax
  }
}

/** Returns the first index from `from` on whose ordinal is not smaller; fastest for near ones (galloping search). */
const placeOf = (ordinals: Int32Array, ordinal: number, from: number): number => {
  let step = 1
  let low = from
  let high = from
  while (high < ordinals.length && (ordinals[high] ?? 0) < ordinal) {
    low = high + 1
    high += step
    step *= 2
  }
  return lowerBound(ordinals, ordinal, low, Math.min(high, ordinals.length))
}

/** Returns the first index in [from, to) whose ordinal is not smaller; `to` when all are. */
export const lowerBound = (ordinals: Int32Array, ordinal: number, from: number, to: number): number => {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ordinals[middle] ?? 0) < ordinal) low = middle + 1
    else high = middle
  }
  return low
}

/** Decodes positions of a given width, starting at `from`, into `into` from `at` on, which must have the room. */
const readPlaces = (
  source: Uint8Array,
  from: number,
  width: number,
  occurrences: number,
  into: Int32Array,
  at: number
): void => {
  let position = 0
  let next = from
  for (let i = 0; i < occurrences; i++) {
    let gap = source[next] ?? 0
    for (let byte = 1; byte < width; byte++) gap |= (source[next + byte] ?? 0) << (byte * 8)
    next += width
    position += gap
    into[at + i] = position
  }
}

/**
 * Positions of terms in some chunks, in a reused buffer: `clear`, then `collect` for each term. The positions in the
 * i-th chunk of a collection that started at `start` are in `positions` from `starts[start + i]` to `starts[start + i
 * + 1]`.
 */
export class PlaceRoom {
  starts = new Int32Array(1024)
  positions = new Int32Array(4096)
  #startsSize = 0
  #positionsSize = 0

  clear(): void {
    this.#startsSize = 0
    this.#positionsSize = 0
  }

  /** Collects the positions of a list in the chunks with these ascending ordinals. */
  collect(list: OpenList, chunkOrdinals: ReadonlyArray<number>): number {
    const { codes, occurrences, ordinals, source } = list
    const start = this.#startsSize
    const end = start + chunkOrdinals.length
    if (end >= this.starts.length) this.starts = grown(this.starts, end + 1)
    this.#startsSize = end + 1
    const { starts } = this
    let size = this.#positionsSize
    let place = 0
    starts[start] = size
    for (let i = 0; i < chunkOrdinals.length; i++) {
      const ordinal = chunkOrdinals[i] ?? 0
      place = placeOf(ordinals, ordinal, place)
      if (ordinals[place] === ordinal) {
        const count = occurrences[place] ?? 0
        if (size + count > this.positions.length) this.positions = grown(this.positions, size + count)
        const width = 1 << (typeof codes === "number" ? codes : (codes[place] ?? 0))
        readPlaces(source, startOf(list, place), width, count, this.positions, size)
        size += count
      }
      starts[start + i + 1] = size
    }
    this.#positionsSize = size
    return start
  }
}

const grown = (before: Int32Array, size: number): Int32Array<ArrayBuffer> => {
  const after = new Int32Array(Math.max(size, before.length * 2))
  after.set(before)
  return after
}

/** Returns the positions of a term in the chunks with these ascending ordinals; none for a chunk without the term. */
export const placesIn = (
  list: OpenList,
  ordinals: ReadonlyArray<number>
): ReadonlyArray<ReadonlyArray<number>> => {
  const room = new PlaceRoom()
  const start = room.collect(list, ordinals)
  return ordinals.map((_, i) => [
    ...room.positions.subarray(room.starts[start + i], room.starts[start + i + 1])
  ])
}
