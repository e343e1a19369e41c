import type { DeadSet } from "./dead-set.js"
import type { OpenList } from "./positions.js"
import type { SegmentDirectory } from "./segment.js"

/**
 * Sizes of cached values in memory, as opposed to their encoded size: most lists are short, and the objects around one
 * take a hundred times its numbers. Measured with Node 20 on 64 bits by the growth of heap and process for ten
 * thousand of each; `test/integration/search/lexical/lexical-weight.test.ts` repeats the measurement.
 */

/** A cache entry: key, links, group and its share of the maps. */
const entryBytes = 190

/** The two objects of a typed array. */
const columnBytes = 210

/** Larger arrays are outside the heap: V8's bookkeeping and the allocator's rounding. */
const outsideFromBytes = 65
const outsideBytes = 100

/** An object with some fields. */
const objectBytes = 100

/** An array slot. */
const slotBytes = 8

/** A string of one term, and its slot. */
const termBytes = 40

const columnWeight = ({ byteLength }: Uint8Array | Int32Array | Uint32Array): number =>
  columnBytes + byteLength + (byteLength < outsideFromBytes ? 0 : outsideBytes)

/** Returns the cached size of a term's lists, one per segment. */
export const listsWeight = (lists: ReadonlyArray<OpenList | null>): number =>
  lists.reduce(
    (sum, list) =>
      sum +
      slotBytes +
      (list === null
        ? 0
        : objectBytes +
          columnWeight(list.ordinals) +
          columnWeight(list.occurrences) +
          columnWeight(list.places) +
          columnWeight(list.source) +
          (typeof list.codes === "number" ? 0 : columnWeight(list.codes))),
    entryBytes + objectBytes
  )

/** Returns the cached size of a block. */
export const blockWeight = (block: Uint8Array): number => entryBytes + columnWeight(block)

/** Returns the cached size of a set of removed chunks. */
export const deadWeight = ({ bits }: DeadSet): number => entryBytes + objectBytes + columnWeight(bits)

/** Returns the cached size of a directory. */
export const directoryWeight = ({ firstTerms, labels, lengths, tieKeys }: SegmentDirectory): number =>
  entryBytes +
  objectBytes +
  columnWeight(labels) +
  columnWeight(lengths) +
  columnWeight(tieKeys) +
  firstTerms.length * termBytes
