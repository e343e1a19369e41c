import type { DeadSet } from "./dead-set.js"
import type { OpenList } from "./positions.js"
import type { SegmentDirectory } from "./segment.js"

/*
 * What the cache of a segment reader holds, in bytes as a process has them and not as they are written: short lists are
 * the most, and the objects around one weigh a hundred times its numbers. Measured with Node 20 on 64 bits, by what the
 * heap and the process grew by for some ten thousand of each; `test/integration/lexical/lexical-weight.test.ts` measures it anew.
 */

/** The place in the cache: a key, its links, its group and its part of the maps. */
const entryBytes = 190

/** The two objects of a typed array. */
const columnBytes = 210

/** Larger arrays lie outside of the heap: what V8 notes of each there, and what the allocator rounds up. */
const outsideFromBytes = 65
const outsideBytes = 100

/** An object with some fields. */
const objectBytes = 100

/** A place in an array. */
const slotBytes = 8

/** A string of one term, and its place. */
const termBytes = 40

const columnWeight = ({ byteLength }: Uint8Array | Int32Array | Uint32Array): number =>
  columnBytes + byteLength + (byteLength < outsideFromBytes ? 0 : outsideBytes)

/** What the lists of one term weigh in the cache, one for each segment. */
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

/** What a block of a segment weighs in the cache. */
export const blockWeight = (block: Uint8Array): number => entryBytes + columnWeight(block)

/** What a set of removed chunks weighs in the cache. */
export const deadWeight = ({ bits }: DeadSet): number => entryBytes + objectBytes + columnWeight(bits)

/** What a directory weighs in the cache. */
export const directoryWeight = ({ firstTerms, labels, lengths, tieKeys }: SegmentDirectory): number =>
  entryBytes +
  objectBytes +
  columnWeight(labels) +
  columnWeight(lengths) +
  columnWeight(tieKeys) +
  firstTerms.length * termBytes
