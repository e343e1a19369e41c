import { type DeadSet, isDead } from "./dead-set.js"
import type { OpenList } from "./positions.js"
import type { SegmentDirectory } from "./segment.js"

/** Statistics of all live chunks of a workspace. */
export interface CorpusStatistics {
  readonly chunkCount: number
  /** Mean length of a chunk in analysed words. */
  readonly averageLength: number
}

/** A segment with the posting lists of the query's terms, in their order; null for terms that it does not hold. */
export interface SegmentView {
  readonly directory: SegmentDirectory
  readonly dead: DeadSet
  readonly lists: ReadonlyArray<OpenList | null>
}

/** Returns the number of live chunks in a posting list. */
export const liveIn = (list: OpenList | null, dead: DeadSet): number => {
  if (list === null) return 0
  const { ordinals } = list
  let count = ordinals.length
  if (dead.count > 0) for (let i = 0; i < ordinals.length; i++) if (isDead(dead, ordinals[i] ?? 0)) count -= 1
  return count
}
