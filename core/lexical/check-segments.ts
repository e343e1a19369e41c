import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import {
  atomically,
  Caller,
  type Examiner,
  Ids,
  isFault,
  traced,
  type WorkspaceScope
} from "../kernel/index.js"
import { repairLexicalIndex } from "./chunk-index.js"
import { type DeadSet, decodeDead, isDead } from "./dead-set.js"
import { PostingInspection } from "./inspection.js"
import type { SegmentDirectory } from "./segment.js"
import { decodeDirectory } from "./segment-read.js"
import { isCurrentFormat, segmentIdOf } from "./segment-seal.js"
import { PostingStore, type SegmentInfo } from "./store.js"

/** The kinds of what may be wrong with the text index. */
export const lexicalFindings = {
  postings_missing: "difference",
  postings_stale: "difference",
  postings_surplus: "difference",
  segment_damaged: "difference",
  segment_parts_stray: "difference",
  text_index_old: "remark"
} as const

export type LexicalExaminer = Examiner<keyof typeof lexicalFindings>

/** A segment whose bytes are those that were written, and whose row says the same as they do. */
export interface SoundSegment {
  readonly info: SegmentInfo
  readonly directory: SegmentDirectory
  readonly dead: DeadSet
}

/**
 * Reads every byte of the text index and compares it with the name that it was written under. A damaged segment is
 * dropped; `checkPostings` then finds its passages missing and puts them back. Gives how many segments there are.
 */
export const checkSegments = traced("retrieval.checkSegments")(function* (examiner: LexicalExaminer) {
  const [inspection, store, { workspace }] = [yield* PostingInspection, yield* PostingStore, yield* Caller]
  const segments = yield* store.segments(workspace)
  if (!segments.every(({ id }) => isCurrentFormat(id))) {
    yield* examiner.tell("text_index_old", {
      subject: "",
      message: "the text index is of another version and is made anew with the next start"
    })
    if (examiner.repair) yield* repairLexicalIndex(workspace)
    return { segments: segments.length, damaged: 0 }
  }
  let damaged = 0
  for (const [place, info] of segments.entries()) {
    if ((yield* soundSegment(info)) === null && (yield* confirmDamage(examiner, info.id))) damaged += 1
    yield* examiner.progress(place + 1, segments.length)
  }
  if ((yield* inspection.strayParts(workspace)) > 0) yield* checkStrays(examiner)
  return { segments: segments.length, damaged }
})

/** Looks again as a unit of work, in which nobody changes a segment: false when it is gone or whole. */
const confirmDamage = (examiner: LexicalExaminer, id: string) =>
  atomically(
    Effect.gen(function* () {
      const [store, { workspace }] = [yield* PostingStore, yield* Caller]
      const info = (yield* store.segments(workspace)).find((one) => one.id === id)
      if (info === undefined || (yield* soundSegment(info)) !== null) return false
      yield* examiner.tell("segment_damaged", {
        subject: id,
        message: "a part of the text index is not what was written",
        count: Math.max(1, info.chunkCount - info.deadCount)
      })
      if (examiner.repair) yield* store.replace(workspace, [info], null)
      return true
    })
  )

const checkStrays = (examiner: LexicalExaminer) =>
  atomically(
    Effect.gen(function* () {
      const [inspection, { workspace }] = [yield* PostingInspection, yield* Caller]
      const count = yield* inspection.strayParts(workspace)
      if (count === 0) return
      yield* examiner.tell("segment_parts_stray", {
        subject: "",
        message: "parts of the text index belong to none of its segments",
        count
      })
      if (examiner.repair) yield* inspection.removeStrayParts(workspace)
    })
  )

/** Whether every byte of the text index is what was written; reads all of it. */
export const indexIsSound = traced("retrieval.indexIsSound")(function* (workspace: WorkspaceScope) {
  const store = yield* PostingStore
  const isSound = (info: SegmentInfo) =>
    Effect.gen(function* () {
      if ((yield* soundSegment(info)) !== null) return true
      // Merged away or changed since it was listed is no damage.
      const present = (yield* store.segments(workspace)).find(({ id }) => id === info.id)
      return present === undefined || present.deadId !== info.deadId
    })
  return yield* Effect.every(yield* store.segments(workspace), isSound)
})

/** The segment when all of it is sound; null otherwise, also when it was merged away meanwhile. */
export const soundSegment = (info: SegmentInfo) =>
  Effect.gen(function* () {
    const [inspection, store, { sha256 }, { workspace }] = [
      yield* PostingInspection,
      yield* PostingStore,
      yield* Ids,
      yield* Caller
    ]
    let first: Uint8Array | null = null
    const hashes: Array<string> = []
    let sizeBytes = 0
    yield* Stream.runForEach(inspection.segmentParts(workspace, info.id), (part) =>
      Effect.sync(() => {
        first ??= part
        hashes.push(sha256(part))
        sizeBytes += part.length
      })
    )
    if (first === null || segmentIdOf(sha256, hashes) !== info.id || sizeBytes !== info.sizeBytes) return null
    const directory = decodeDirectory(first)
    const removed = yield* store.dead(workspace, info.id).pipe(
      Effect.catchTag("SegmentGone", () => Effect.succeed(null)),
      Effect.catchSomeDefect((defect) =>
        isFault(defect) && defect._tag === "DataUnreadable"
          ? Option.some(Effect.succeed(null))
          : Option.none()
      )
    )
    if (removed === null || removed.deadId !== info.deadId) return null
    if (removed.deadId !== (removed.dead.length === 0 ? "" : sha256(removed.dead))) return null
    const dead = decodeDead(removed.dead, info.chunkCount)
    return agrees(info, directory, dead) ? ({ info, directory, dead } satisfies SoundSegment) : null
  })

const agrees = (info: SegmentInfo, { labels, lengths }: SegmentDirectory, dead: DeadSet): boolean => {
  let liveLength = 0
  for (const [ordinal, length] of lengths.entries()) if (!isDead(dead, ordinal)) liveLength += length
  return (
    labels.length === info.chunkCount &&
    labels[0] === info.firstLabel &&
    labels.at(-1) === info.lastLabel &&
    dead.count === info.deadCount &&
    liveLength === info.liveLength
  )
}
