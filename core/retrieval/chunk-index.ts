import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { ChunkIndex, DocumentStore } from "../documents/index.js"
import { atomically, crashPoint, Ids, traced, type WorkspaceScope } from "../kernel/index.js"
import { encodeDead, isDead, withDead } from "./dead-set.js"
import { indexBatch } from "./index-batch.js"
import type { IndexableChunk } from "./index-chunk.js"
import { ordinalOf } from "./segment-read.js"
import { SegmentReader } from "./segment-reader.js"
import { isCurrentFormat, sealSegment } from "./segment-seal.js"
import { mergeAtOnce } from "./segment-upkeep.js"
import { PostingStore, SegmentGone } from "./store.js"

/** Passages of one segment of a rebuilt index. */
const rebuildChunks = 2000

/** Keeps the lexical index in step with the chunks: every change is one small segment, in the caller's unit of work. */
export const chunkIndex = Layer.effect(
  ChunkIndex,
  Effect.gen(function* () {
    const context = yield* Effect.context<PostingStore | SegmentReader | Ids>()
    return {
      change: (workspace, { added, removed }) =>
        Effect.gen(function* () {
          if (removed.length > 0) yield* removeLabels(workspace, removed)
          if (added.length > 0)
            yield* addChunks(
              workspace,
              added.map(({ chunk, title }) => ({ ...chunk, title }))
            )
          if (added.length > 0 || removed.length > 0) yield* mergeAtOnce(workspace)
        }).pipe(Effect.orDie, Effect.provide(context))
    }
  })
)

/**
 * Makes the index anew from the live passages when it was written by another version of the analysis or does not
 * hold as many chunks as there are. True when it did. Cheap when all is well: meant for every start.
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
  // Both counts of one moment only inside a unit of work: others may be writing. That waits for them, so it comes second.
  if ((yield* agree) || (yield* atomically(agree))) return false
  yield* rebuildLexicalIndex(workspace)
  return true
})

/** Makes the index anew from the live passages, in one unit of work: searches see the old one, then the new one. */
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

const addChunks = (workspace: WorkspaceScope, added: ReadonlyArray<IndexableChunk>) =>
  Effect.gen(function* () {
    const store = yield* PostingStore
    const { sha256 } = yield* Ids
    const { chunks, encoded } = indexBatch(added)
    yield* store.add(workspace, sealSegment(sha256, encoded, chunks))
    yield* crashPoint("segment.add.insideTransaction")
  })

/** Marks chunks as removed wherever they are; labels that no segment holds are passed over. */
const removeLabels = (workspace: WorkspaceScope, labels: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const store = yield* PostingStore
    const reader = yield* SegmentReader
    const { sha256 } = yield* Ids
    let left: ReadonlyArray<number> = labels
    for (const info of yield* store.segments(workspace)) {
      const here = left.filter((label) => label >= info.firstLabel && label <= info.lastLabel)
      if (here.length === 0) continue
      const { dead, directory } = yield* reader.openOne(workspace, info)
      const ordinals = new Set(
        here
          .map((label) => ordinalOf(directory, label))
          .filter((ordinal) => ordinal >= 0 && !isDead(dead, ordinal))
      )
      if (ordinals.size === 0) continue
      const after = withDead(dead, [...ordinals], info.chunkCount)
      const bytes = encodeDead(after)
      let liveLength = info.liveLength
      for (const ordinal of ordinals) liveLength -= directory.lengths[ordinal] ?? 0
      const deadId = sha256(bytes)
      const done = yield* store.remove(workspace, info.id, info, {
        deadId,
        deadCount: after.count,
        liveLength,
        dead: bytes
      })
      if (!done) return yield* new SegmentGone({ segment: info.id })
      yield* crashPoint("segment.remove.insideTransaction")
      left = left.filter((label) => !ordinals.has(ordinalOf(directory, label)))
      if (left.length === 0) return
    }
  }).pipe(Effect.retry({ times: 20 }))
