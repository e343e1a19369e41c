import { groupBy } from "../../platform/kernel/index.js"
import type { SegmentInfo } from "../segments/index.js"

/**
 * Number of segments of similar size that are merged: a chunk is rewritten once each time the index grows by this
 * factor.
 */
const segmentsPerTier = 8
/** A segment with a larger share of removed chunks is rewritten alone. */
const deadShareMax = 0.3
/** Maximum size of a merged segment, which bounds the memory and the transaction of a merge. */
const mergedChunksMax = 100_000

const live = ({ chunkCount, deadCount }: SegmentInfo): number => chunkCount - deadCount

const tierOf = (segment: SegmentInfo): number =>
  Math.floor(Math.log(Math.max(1, live(segment))) / Math.log(segmentsPerTier) + 1e-9)

/**
 * Returns the segments to merge next, cheapest first: eight of one size, or one that is mostly removed. Null when none
 * is due; then there are at most seven segments for each power of eight in the index size.
 */
export const nextMerge = (segments: ReadonlyArray<SegmentInfo>): ReadonlyArray<SegmentInfo> | null => {
  const mergeable = segments.filter((segment) => live(segment) * 2 <= mergedChunksMax)
  const full = [...groupBy(mergeable, tierOf)]
    .sort(([a], [b]) => a - b)
    .map(([, same]) => withinSize(same))
    .find((same) => same.length >= segmentsPerTier)
  if (full !== undefined) return full
  const worn = segments.find(({ chunkCount, deadCount }) => deadCount > chunkCount * deadShareMax)
  return worn === undefined ? null : [worn]
}

/** Returns the number of chunks that a merge has to write. */
export const mergeSize = (segments: ReadonlyArray<SegmentInfo>): number =>
  segments.reduce((sum, segment) => sum + live(segment), 0)

const withinSize = (segments: ReadonlyArray<SegmentInfo>): ReadonlyArray<SegmentInfo> => {
  let sum = 0
  return [...segments]
    .sort((a, b) => live(a) - live(b))
    .filter((segment) => {
      sum += live(segment)
      return sum <= mergedChunksMax
    })
}
