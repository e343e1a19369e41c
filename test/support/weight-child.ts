import { ByteCache } from "../../core/platform/caching/byte-cache.js"
import {
  blockWeight,
  deadWeight,
  directoryWeight,
  listsWeight
} from "../../core/search/segments/cache-sizes.js"
import { noneDead, withDead } from "../../core/search/segments/dead-set.js"
import { openList } from "../../core/search/segments/positions.js"
import { encodeSegment, type IndexedChunk } from "../../core/search/segments/segment.js"
import { decodeDirectory, EntryReader } from "../../core/search/segments/segment-read.js"
import { heapBytes } from "./held.js"

/** Reported weight of cached things of one kind, and the growth of the process as they were cached. */
export interface Weighed {
  readonly kind: string
  readonly toldBytes: number
  readonly heldBytes: number
}

/** Chunks that all hold the same terms; every second one far from its beginning too, where `isMixed` says so. */
const chunksOf = (chunkCount: number, termCount: number, isMixed: boolean): ReadonlyArray<IndexedChunk> => {
  const names = Array.from({ length: termCount }, (_, i) => `term${i}`)
  return Array.from({ length: chunkCount }, (_, i) => {
    const far = isMixed && i % 2 === 1 ? 1000 : 1
    const positions = [...names.keys(), ...names.keys()].map((place, at) => place + at * far)
    const [terms, length] = [[...names, ...names], 2 * termCount]
    return { label: i + 1, length, tieKey: i, terms, positions: positions.sort((a, b) => a - b) }
  })
}

/** Puts so many into a cache, each with the weight that it tells. */
const weigh = async (kind: string, count: number, make: (place: number) => readonly [object, number]) => {
  const fill = (cache: ByteCache<object>) => {
    for (let i = 0; i < count; i++) cache.set(`7/term${i}`, ...make(i), "7")
  }
  // The first ones pay for compiled code and hidden classes.
  fill(new ByteCache(Number.MAX_SAFE_INTEGER))
  const before = await heapBytes()
  const cache = new ByteCache<object>(Number.MAX_SAFE_INTEGER)
  fill(cache)
  const after = await heapBytes()
  return { kind, toldBytes: cache.sizeBytes, heldBytes: after - before }
}

const lists = (chunkCount: number, segments: number, count: number, isMixed = false) => {
  const width = isMixed ? "of two widths" : "of one width"
  const { blocks } = encodeSegment(chunksOf(chunkCount, 1, isMixed))
  const entry = new EntryReader(blocks[0] ?? new Uint8Array())
  entry.next()
  return weigh(`lists of ${chunkCount} chunks in ${segments} segments, ${width}`, count, () => {
    const made = Array.from({ length: segments }, (_, i) => (i % 4 === 3 ? null : openList(entry.list)))
    return [{ lists: made, frequency: chunkCount }, listsWeight(made)]
  })
}

const parts = (chunkCount: number, termCount: number, count: number) => {
  const { blocks, directory } = encodeSegment(chunksOf(chunkCount, termCount, false))
  const kept = withDead(noneDead, [0], chunkCount)
  const of = `of ${chunkCount} chunks`
  return [
    () =>
      weigh(`directories ${of}`, count, () => {
        const decoded = decodeDirectory(directory)
        return [decoded, directoryWeight(decoded)]
      }),
    () =>
      weigh(`blocks ${of}`, count, (i) => {
        const block = (blocks[i % blocks.length] ?? directory).slice()
        return [block, blockWeight(block)]
      }),
    () =>
      weigh(`removed chunks ${of}`, count, () => {
        const dead = { count: 1, bits: kept.bits.slice() }
        return [dead, deadWeight(dead)]
      })
  ]
}

const found: Array<Weighed> = []
for (const next of [
  () => lists(1, 1, 20_000),
  () => lists(1, 8, 4000),
  () => lists(12, 2, 8000),
  () => lists(100, 1, 8000),
  () => lists(100, 8, 1500),
  () => lists(100, 1, 8000, true),
  () => lists(3000, 1, 500),
  ...parts(1, 5, 10_000),
  ...parts(64, 400, 5000)
])
  found.push(await next())
process.stdout.write(JSON.stringify(found))
