import { ByteReader } from "./bytes.js"
import type { PostingList } from "./segment.js"

/**
 * Positions of a term in some of its chunks, in the order of `ordinals`, which ascend; undefined where the chunk
 * does not hold it. One walk over the list serves all.
 */
export const positionsIn = (
  list: PostingList,
  ordinals: ReadonlyArray<number>
): ReadonlyArray<ReadonlyArray<number> | undefined> => {
  const found = new Array<ReadonlyArray<number> | undefined>(ordinals.length)
  const { source } = list
  const postings = new ByteReader(source, list.postings)
  let places = list.positions
  let ordinal = 0
  let wanted = 0
  let next = ordinals[0] ?? -1
  while (wanted < ordinals.length && postings.at < list.positions) {
    const step = postings.varint()
    ordinal += step >>> 1
    let left = (step & 1) === 1 ? 1 : postings.varint()
    while (next < ordinal && wanted < ordinals.length) next = ordinals[++wanted] ?? -1
    if (next === ordinal && wanted < ordinals.length) {
      const reader = new ByteReader(source, places)
      found[wanted] = readPositions(reader, left)
      places = reader.at
    } else while (left > 0) if ((source[places++] ?? 0) < 128) left -= 1
  }
  return found
}

/** Ordinals of all chunks of a list, ascending. */
export const ordinalsIn = (list: PostingList): ReadonlyArray<number> => {
  const ordinals: Array<number> = []
  const reader = new ByteReader(list.source, list.postings)
  let ordinal = 0
  while (reader.at < list.positions) {
    const step = reader.varint()
    ordinal += step >>> 1
    if ((step & 1) === 0) reader.varint()
    ordinals.push(ordinal)
  }
  return ordinals
}

const readPositions = (reader: ByteReader, count: number): ReadonlyArray<number> => {
  const positions = new Array<number>(count)
  let position = 0
  for (let i = 0; i < count; i++) {
    position += reader.varint()
    positions[i] = position
  }
  return positions
}
