import * as Effect from "effect/Effect"
import { crashPoint, Ids, traced, type WorkspaceScope } from "../../platform/kernel/index.js"
import {
  type NewSegment,
  PostingStore,
  type SegmentGone,
  type SegmentInfo,
  SegmentReader,
  sealSegment
} from "../segments/index.js"
import { nextMerge } from "./merge-policy.js"
import { mergeSources } from "./segment-merge.js"

/** A merge of at most this many chunks is done by the change that made it due, since it costs less than a job. */
const chunksAtOnceMax = 343
/** With more segments than this, no background merges are running, and the change does more of them. */
const segmentsMax = 64
/** Number of chunks that such a change merges at once, so that it stays a matter of tenths of a second. */
const overdueChunksMax = 4802
/** Number of conflicts in a row after which a background merge stops until its next run. */
const lostRacesMax = 8

/**
 * Merges the segments of a workspace, outside any unit of work; every replacement is a unit of its own. Safe beside
 * changes and other mergers: the one that loses a conflict changes nothing. Returns how many segments were written.
 */
export const mergeSegments = traced("retrieval.mergeSegments")(function* (workspace: WorkspaceScope) {
  const store = yield* PostingStore
  let made = 0
  for (let lostRaces = 0; lostRaces < lostRacesMax; ) {
    const due = nextMerge(yield* store.segments(workspace))
    if (due === null) break
    const done = yield* mergeThese(workspace, due).pipe(
      Effect.catchTag("SegmentGone", () => Effect.succeed(false as const))
    )
    if (done !== false) made += 1
    lostRaces = done === false ? lostRaces + 1 : 0
  }
  return made
})

/**
 * Does the merges that belong into the caller's unit of work: small ones and overdue ones.
 *
 * @param listed The segments in this unit of work.
 */
export const mergeAtOnce = (
  workspace: WorkspaceScope,
  listed: ReadonlyArray<SegmentInfo>
): Effect.Effect<void, SegmentGone, PostingStore | SegmentReader | Ids> =>
  Effect.gen(function* () {
    for (let segments = listed; ; ) {
      const due = nextMerge(segments, segments.length > segmentsMax ? overdueChunksMax : chunksAtOnceMax)
      if (due === null) return
      const made = yield* mergeThese(workspace, due)
      segments =
        made === false
          ? yield* (yield* PostingStore).segments(workspace)
          : [...segments.filter((segment) => !due.includes(segment)), ...made]
    }
  })

/** Returns the info of a segment that was just written. */
export const infoOf = ({ blocks: _blocks, directory: _directory, ...segment }: NewSegment): SegmentInfo => ({
  ...segment,
  deadCount: 0,
  deadId: ""
})

/** Merges these segments; returns the new one, none when no live chunk was left, false when one of them changed. */
const mergeThese = (
  workspace: WorkspaceScope,
  due: ReadonlyArray<SegmentInfo>
): Effect.Effect<ReadonlyArray<SegmentInfo> | false, SegmentGone, PostingStore | SegmentReader | Ids> =>
  Effect.gen(function* () {
    const store = yield* PostingStore
    const reader = yield* SegmentReader
    const { sha256 } = yield* Ids
    const sources = yield* Effect.forEach(due, (info) => reader.openOne(workspace, info))
    const { chunks, encoded } = yield* mergeSources(workspace, sources)
    yield* crashPoint("segment.merge.beforeReplace")
    const made = chunks.length === 0 ? null : sealSegment(sha256, encoded, chunks)
    const replaced = yield* store.replace(workspace, due, made)
    yield* crashPoint("segment.merge.afterReplace")
    if (!replaced) return false
    if (made === null) return []
    reader.remember(workspace, made)
    return [infoOf(made)]
  })
