import type { SegmentInfo } from "./store.js"

/** So many segments of like size become one: a chunk is rewritten once for each factor that the index grows by. */
const segmentsPerTier = 8
/** A segment with a larger share of removed chunks is rewritten by itself. */
const deadShareMax = 0.3
/** Segments do not grow beyond this by merging, so that no merge is ever too large for memory or a transaction. */
const mergedChunksMax = 100_000

const live = ({ chunkCount, deadCount }: SegmentInfo): number => chunkCount - deadCount

const tierOf = (segment: SegmentInfo): number =>
  Math.floor(Math.log(Math.max(1, live(segment))) / Math.log(segmentsPerTier) + 1e-9)

/**
 * The segments to merge next, cheapest first: eight of one size, or one that is mostly removed. None when the
 * index is in good order; then it has at most seven segments for each power of eight in its size.
 */
export const nextMerge = (segments: ReadonlyArray<SegmentInfo>): ReadonlyArray<SegmentInfo> | null => {
  const tiers = new Map<number, Array<SegmentInfo>>()
  for (const segment of segments) {
    if (live(segment) * 2 > mergedChunksMax) continue
    const tier = tierOf(segment)
    const same = tiers.get(tier)
    if (same === undefined) tiers.set(tier, [segment])
    else same.push(segment)
  }
  const full = [...tiers.entries()]
    .sort(([a], [b]) => a - b)
    .map(([, same]) => withinSize(same))
    .find((same) => same.length >= segmentsPerTier)
  if (full !== undefined) return full
  const worn = segments.find(({ chunkCount, deadCount }) => deadCount > chunkCount * deadShareMax)
  return worn === undefined ? null : [worn]
}

/** Chunks that a merge has to write. */
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
