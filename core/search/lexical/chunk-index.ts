import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ChunkIndex, DocumentStore } from "../../files/documents/index.js"
import {
  atomically,
  crashPoint,
  forEachYielding,
  Ids,
  serviceLayer,
  traced,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import {
  encodeDead,
  type IndexableChunk,
  indexBatch,
  isCurrentFormat,
  isDead,
  ordinalOf,
  PostingStore,
  SegmentGone,
  type SegmentInfo,
  SegmentReader,
  sealSegment,
  withDead
} from "../segments/index.js"
import { infoOf, mergeAtOnce } from "./merge-segments.js"

/** Passages per segment of a rebuilt index. */
const rebuildChunks = 2000
/** UTF-16 units of text and headings indexed in one segment without yielding: some hundredths of a second. */
const charsAtOnceMax = 96 * 1024

/**
 * Updates the lexical index with the chunks: every change writes one small segment, or several when it is large, in
 * the caller's unit of work.
 */
export const chunkIndex = serviceLayer(
  ChunkIndex,
  Effect.gen(function* () {
    const context = yield* Effect.context<PostingStore | SegmentReader | Ids>()
    return {
      change: (workspace, { added, removed }) =>
        Effect.gen(function* () {
          if (added.length + removed.length === 0) return
          const listed = yield* (yield* PostingStore).segments(workspace)
          const left = removed.length === 0 ? listed : yield* removeLabels(workspace, removed, listed)
          const fresh = added.map(({ chunk, title }) => ({ ...chunk, title }))
          const groups = inGroups(fresh)
          const made =
            groups.length > 1
              ? yield* forEachYielding(groups, (group) => addChunks(workspace, group))
              : fresh.length === 0
                ? []
                : [yield* addChunks(workspace, fresh)]
          yield* mergeAtOnce(workspace, [...left, ...made])
        }).pipe(Effect.orDie, Effect.provide(context))
    }
  })
)

/**
 * Rebuilds the index from the live passages when another version of the analysis wrote it or when the number of chunks
 * differs. Returns true when it did. Cheap when the index is intact, so that every start can call it.
 */
export const repairLexicalIndex = traced("retrieval.repairLexicalIndex")(function* (
  workspace: WorkspaceScope
) {
  const store = yield* PostingStore
  const documents = yield* DocumentStore
  const agree = Effect.gen(function* () {
    const segments = yield* store.segments(workspace)
    const { chunks } = yield* documents.counts(workspace)
    const live = segments.reduce((sum, { chunkCount, deadCount }) => sum + chunkCount - deadCount, 0)
    return live === chunks && segments.every(({ id }) => isCurrentFormat(id))
  })
  // The two counts agree reliably only inside a unit of work, because others may be writing. That waits for them, so
  // it is tried second.
  if ((yield* agree) || (yield* atomically(agree))) return false
  yield* rebuildLexicalIndex(workspace)
  return true
})

/** Rebuilds the index from the live passages in one unit of work: searches see the old one, then the new one. */
export const rebuildLexicalIndex = traced("retrieval.rebuildLexicalIndex")(function* (
  workspace: WorkspaceScope
) {
  const [store, documents] = [yield* PostingStore, yield* DocumentStore]
  yield* atomically(
    Effect.zipRight(
      store.clear(workspace),
      documents.allPassages(workspace).pipe(
        Stream.grouped(rebuildChunks),
        Stream.runForEach((passages) =>
          addChunks(
            workspace,
            [...passages].map((passage) => ({ ...passage, title: passage.docTitle }))
          )
        ),
        Effect.zipRight(crashPoint("segment.rebuild.insideTransaction"))
      )
    )
  )
})

/** Splits a long list into groups that each block other work only briefly. */
const inGroups = (chunks: ReadonlyArray<IndexableChunk>): ReadonlyArray<ReadonlyArray<IndexableChunk>> => {
  const groups: Array<ReadonlyArray<IndexableChunk>> = []
  let [from, chars] = [0, 0]
  for (const [at, { headingPath, text }] of chunks.entries()) {
    const added = headingPath.reduce((sum, heading) => sum + heading.length, text.length)
    if (at > from && chars + added > charsAtOnceMax) {
      groups.push(chunks.slice(from, at))
      ;[from, chars] = [at, 0]
    }
    chars += added
  }
  return [...groups, chunks.slice(from)]
}

const addChunks = (workspace: WorkspaceScope, added: ReadonlyArray<IndexableChunk>) =>
  Effect.gen(function* () {
    const [store, reader, { sha256 }] = [yield* PostingStore, yield* SegmentReader, yield* Ids]
    const { chunks, encoded } = indexBatch(added)
    const segment = sealSegment(sha256, encoded, chunks)
    yield* store.add(workspace, segment)
    reader.remember(workspace, segment)
    yield* crashPoint("segment.add.insideTransaction")
    return infoOf(segment)
  })

/** Marks chunks as removed in every segment; unknown labels are ignored. Returns the updated segments. */
const removeLabels = (
  workspace: WorkspaceScope,
  labels: ReadonlyArray<number>,
  listed: ReadonlyArray<SegmentInfo>
) =>
  removeFrom(workspace, labels, listed).pipe(
    Effect.catchTag("SegmentGone", () =>
      Effect.flatMap(PostingStore, (store) => store.segments(workspace)).pipe(
        Effect.flatMap((again) => removeFrom(workspace, labels, again)),
        Effect.retry({ times: 20 })
      )
    )
  )

const removeFrom = (
  workspace: WorkspaceScope,
  labels: ReadonlyArray<number>,
  listed: ReadonlyArray<SegmentInfo>
) =>
  Effect.gen(function* () {
    const after: Array<SegmentInfo> = []
    let left: ReadonlyArray<number> = labels
    for (const info of listed) {
      const here = left.filter((label) => label >= info.firstLabel && label <= info.lastLabel)
      if (here.length === 0) {
        after.push(info)
        continue
      }
      const { removed, segment } = yield* removeHere(workspace, here, info)
      if (segment.deadCount < segment.chunkCount) after.push(segment)
      left = left.filter((label) => !removed.has(label))
    }
    return after
  })

/** Marks those of the chunks as removed that are live in the segment; returns their labels and the updated segment. */
const removeHere = (workspace: WorkspaceScope, labels: ReadonlyArray<number>, info: SegmentInfo) =>
  Effect.gen(function* () {
    const [store, reader, { sha256 }] = [yield* PostingStore, yield* SegmentReader, yield* Ids]
    const { dead, directory } = yield* reader.openOne(workspace, info)
    const ordinals = new Map(
      labels
        .map((label) => [label, ordinalOf(directory, label)] as const)
        .filter(([, ordinal]) => ordinal >= 0 && !isDead(dead, ordinal))
    )
    const removed = new Set(ordinals.keys())
    if (ordinals.size === 0) return { removed, segment: info }
    const set = withDead(dead, [...ordinals.values()], info.chunkCount)
    const bytes = encodeDead(set)
    let liveLength = info.liveLength
    for (const ordinal of ordinals.values()) liveLength -= directory.lengths[ordinal] ?? 0
    const segment: SegmentInfo = { ...info, deadId: sha256(bytes), deadCount: set.count, liveLength }
    if (!(yield* store.remove(workspace, info.id, info, { ...segment, dead: bytes })))
      return yield* new SegmentGone({ segment: info.id })
    reader.rememberDead(workspace, segment, set)
    yield* crashPoint("segment.remove.insideTransaction")
    return { removed, segment }
  })
