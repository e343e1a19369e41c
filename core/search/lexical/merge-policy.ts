import { groupBy } from "../../platform/kernel/index.js"
import type { SegmentInfo } from "../segments/index.js"

/**
 * Number of segments of similar size that are merged: a chunk is rewritten once each time the index grows by this
 * factor.
 */
const segmentsPerTier = 7
/** A segment with a larger share of removed chunks is rewritten alone. */
const deadShareMax = 0.3
/** Up to this size a merged segment may be, however small the index is. */
const smallMergeChunks = 100_000
/** The largest merge of a large index is this part of it: the number of segments and the memory depend on it. */
const largestMergeShare = 1 / 13

const live = ({ chunkCount, deadCount }: SegmentInfo): number => chunkCount - deadCount

const tierOf = (segment: SegmentInfo): number =>
  Math.floor(Math.log(Math.max(1, live(segment))) / Math.log(segmentsPerTier) + 1e-9)

/** Returns the number of chunks that a merge has to write. */
export const mergeSize = (segments: ReadonlyArray<SegmentInfo>): number =>
  segments.reduce((sum, segment) => sum + live(segment), 0)

/** Returns the maximum size of a merged segment, which bounds the memory and the transaction of a merge. */
export const largestMerge = (segments: ReadonlyArray<SegmentInfo>): number =>
  Math.max(smallMergeChunks, Math.floor(mergeSize(segments) * largestMergeShare))

/**
 * Returns the segments to merge next, cheapest first: seven of one size, large ones that fill a segment of the largest
 * size, or one that is mostly removed. Null when none is due; then there are at most 64 segments in an index of ten
 * million chunks.
 *
 * @param chunksMax Number of chunks that the merge may write; by default that of the largest segment.
 */
export const nextMerge = (
  segments: ReadonlyArray<SegmentInfo>,
  chunksMax = Number.POSITIVE_INFINITY
): ReadonlyArray<SegmentInfo> | null => {
  const largest = largestMerge(segments)
  const most = Math.min(largest, chunksMax)
  const small = segments.filter((segment) => live(segment) * segmentsPerTier < largest)
  for (const [tier, same] of [...groupBy(small, tierOf)].sort(([a], [b]) => a - b)) {
    if (same.length < segmentsPerTier) continue
    const due = filling(
      most,
      same.toSorted((a, b) => live(a) - live(b))
    )
    // A merge whose result stays in its tier would be repeated for each new segment.
    if (mergeSize(due) >= segmentsPerTier ** (tier + 1) || due.length >= segmentsPerTier) return due
  }
  const large = segments.filter(
    (segment) => live(segment) * segmentsPerTier >= largest && live(segment) * 2 <= largest
  )
  if (largest <= chunksMax && mergeSize(large) >= largest)
    return filling(
      largest,
      large.toSorted((a, b) => live(b) - live(a))
    )
  const worn = segments.find(
    (segment) => segment.deadCount > segment.chunkCount * deadShareMax && live(segment) <= chunksMax
  )
  return worn === undefined ? null : [worn]
}

/** Takes those of the segments, in their order, that fit into one of this size. */
const filling = (chunksMax: number, segments: ReadonlyArray<SegmentInfo>): ReadonlyArray<SegmentInfo> => {
  let sum = 0
  return segments.filter((segment) => {
    if (sum + live(segment) > chunksMax) return false
    sum += live(segment)
    return true
  })
}
