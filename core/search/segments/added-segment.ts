import * as Effect from "effect/Effect"
import { Ids } from "../../platform/kernel/index.js"
import { isDead, withDead } from "./dead-set.js"
import { indexBatch } from "./index-batch.js"
import type { IndexableChunk } from "./index-chunk.js"
import { openList } from "./positions.js"
import { sealSegment } from "./segment.js"
import { blockOf, decodeDirectory, findPostings, ordinalOf } from "./segment-read.js"
import {
  type CorpusStatistics,
  liveIn,
  type OpenIndex,
  type OpenSegment,
  type SegmentReader
} from "./segment-reader.js"
import type { SegmentInfo } from "./store.js"

/**
 * Returns a reader of the index without some chunks and with others, which are kept in memory alone. How rare a word is
 * follows from the stored index and the added chunks together.
 */
export const readerWith = (
  reader: SegmentReader["Type"],
  {
    added,
    removed
  }: { readonly added: ReadonlyArray<IndexableChunk>; readonly removed: ReadonlyArray<number> }
) =>
  Effect.map(Ids, ({ sha256 }): SegmentReader["Type"] => {
    const batch = indexBatch(added)
    const sealed = sealSegment(sha256, batch.encoded, batch.chunks)
    const extra: OpenSegment = {
      info: { ...sealed, deadCount: 0, deadId: "" },
      directory: decodeDirectory(sealed.directory),
      dead: withDead({ count: 0, bits: new Uint8Array(0) }, [], added.length)
    }
    const extraList = (term: string) => {
      const block = sealed.blocks[blockOf(extra.directory, term)]
      const list = block === undefined ? null : findPostings(block, term)
      return list === null ? null : openList(list)
    }
    /** The stored index of each index that this reader opened. */
    const stored = new WeakMap<OpenIndex, OpenIndex>()
    return {
      ...reader,
      blocks: (workspace, info, indexes) =>
        info.id === sealed.id
          ? Effect.succeed(indexes.flatMap((index) => sealed.blocks[index] ?? []))
          : reader.blocks(workspace, info, indexes),
      open: (workspace) =>
        Effect.map(reader.open(workspace, null), (index) => {
          const segments = index.segments.map((segment) => without(segment, removed))
          const opened = {
            ...index,
            segments: added.length === 0 ? segments : [...segments, extra],
            statistics: withAdded(index.statistics, extra.info)
          }
          stored.set(opened, index)
          return opened
        }),
      lists: (workspace, index, terms) =>
        Effect.map(reader.lists(workspace, stored.get(index) ?? index, terms), (found) =>
          terms.map((term, place) => {
            const { frequency = 0, lists = [] } = found[place] ?? {}
            if (added.length === 0) return { frequency, lists }
            const own = extraList(term)
            const known = index.segments.slice(0, -1).map((_, at) => lists[at] ?? null)
            return { lists: [...known, own], frequency: frequency + liveIn(own, extra.dead) }
          })
        )
    }
  })

const withAdded = (
  { averageLength, chunkCount }: CorpusStatistics,
  added: Pick<SegmentInfo, "chunkCount" | "liveLength">
): CorpusStatistics => {
  const count = chunkCount + added.chunkCount
  const length = averageLength * chunkCount + added.liveLength
  return { chunkCount: count, averageLength: count === 0 ? 0 : length / count }
}

const without = (segment: OpenSegment, labels: ReadonlyArray<number>): OpenSegment => {
  const { dead, directory, info } = segment
  const ordinals = labels.flatMap((label) => {
    if (label < info.firstLabel || label > info.lastLabel) return []
    const ordinal = ordinalOf(directory, label)
    return ordinal < 0 || isDead(dead, ordinal) ? [] : [ordinal]
  })
  return ordinals.length === 0 ? segment : { ...segment, dead: withDead(dead, ordinals, info.chunkCount) }
}
