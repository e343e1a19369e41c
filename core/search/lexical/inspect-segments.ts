import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import {
  atomically,
  Caller,
  Ids,
  type Inspector,
  inspectCount,
  isFault,
  traced,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import {
  type DeadSet,
  decodeDead,
  decodeDirectory,
  isCurrentFormat,
  isDead,
  PostingStore,
  type SegmentDirectory,
  type SegmentInfo,
  segmentIdOf
} from "../segments/index.js"
import { repairLexicalIndex } from "./chunk-index.js"

/** Kinds of findings about the text index. */
export const lexicalFindings = {
  postings_missing: "difference",
  postings_stale: "difference",
  postings_surplus: "difference",
  segment_damaged: "difference",
  segment_parts_stray: "difference",
  text_index_old: "remark"
} as const

export type LexicalInspector = Inspector<keyof typeof lexicalFindings>

/** A segment whose bytes match its hash and whose row matches its bytes. */
export interface SoundSegment {
  readonly info: SegmentInfo
  readonly directory: SegmentDirectory
  readonly dead: DeadSet
}

/**
 * Reads every byte of the text index and compares it with the hash in the segment's id. A rebuild drops damaged
 * segments; `inspectPostings` then indexes their passages again. Returns the number of segments, and of damaged ones.
 */
export const inspectSegments = traced("lexical.inspectSegments")(function* (inspector: LexicalInspector) {
  const [inspection, store, { workspace }] = [
    (yield* PostingStore).inspection,
    yield* PostingStore,
    yield* Caller
  ]
  const segments = yield* store.segments(workspace)
  if (!segments.every(({ id }) => isCurrentFormat(id))) {
    yield* inspector.report("text_index_old", {
      subject: "",
      message: "The text index has an older format; the next start rebuilds it."
    })
    if (inspector.rebuild) yield* repairLexicalIndex(workspace)
    return { segments: segments.length, damaged: 0 }
  }
  let damaged = 0
  for (const [place, info] of segments.entries()) {
    if ((yield* soundSegment(info)) === null && (yield* confirmDamage(inspector, info.id))) damaged += 1
    yield* inspector.progress(place + 1, segments.length)
  }
  yield* inspectCount(inspector, "segment_parts_stray", {
    count: inspection.orphanCount(workspace),
    message: "Parts of the text index belong to no segment.",
    rebuild: inspection.removeOrphans(workspace)
  })
  return { segments: segments.length, damaged }
})

/** Confirms damage in a transaction; false when the segment is sound or does not exist any more. */
const confirmDamage = (inspector: LexicalInspector, id: string) =>
  atomically(
    Effect.gen(function* () {
      const [store, { workspace }] = [yield* PostingStore, yield* Caller]
      const info = (yield* store.segments(workspace)).find((one) => one.id === id)
      if (info === undefined || (yield* soundSegment(info)) !== null) return false
      yield* inspector.report("segment_damaged", {
        subject: id,
        message: "A segment of the text index does not match its hash.",
        count: Math.max(1, info.chunkCount - info.deadCount)
      })
      if (inspector.rebuild) yield* store.replace(workspace, [info], null)
      return true
    })
  )

/** Whether every segment of the text index matches its hash; reads all bytes. */
export const indexIsSound = traced("retrieval.indexIsSound")(function* (workspace: WorkspaceScope) {
  const store = yield* PostingStore
  const isSound = (info: SegmentInfo) =>
    Effect.gen(function* () {
      if ((yield* soundSegment(info)) !== null) return true
      // A segment that was merged or changed since it was listed is not damaged.
      const present = (yield* store.segments(workspace)).find(({ id }) => id === info.id)
      return present === undefined || present.deadId !== info.deadId
    })
  return yield* Effect.every(yield* store.segments(workspace), isSound)
})

/** The segment when it is sound; null otherwise, also when it was merged meanwhile. */
export const soundSegment = (info: SegmentInfo) =>
  Effect.gen(function* () {
    const [inspection, store, { sha256 }, { workspace }] = [
      (yield* PostingStore).inspection,
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
