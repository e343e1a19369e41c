import * as Batches from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { DocumentStore, type Passage } from "../../files/documents/index.js"
import {
  atomically,
  crashPoint,
  type DocumentId,
  nextTurn,
  traced,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { modelsIn } from "../../platform/workspace/index.js"
import { refreshVectors } from "./embed.js"
import { type ChunkToEmbed, chunkToEmbed, ModelDropped, type VectorProgress } from "./follow-documents.js"
import { modelsOf, readBuiltIn } from "./models-of.js"
import { type VectorModel, VectorStore } from "./store.js"
import { belongsToModel, builtInMaker, embedderMaker, type VectorMaker } from "./vector-makers.js"

/**
 * Makes vectors again although their texts have not changed: those of these documents, or all. Each replaces the old
 * one when it is ready, so searches miss none. For all, the built-in model is fitted again first. Safe to repeat, to
 * interrupt and to run beside changes of documents or vectors.
 */
export const remakeVectors = traced("retrieval.remakeVectors")(function* (
  workspace: WorkspaceScope,
  documents: ReadonlyArray<DocumentId> | "all",
  onProgress: VectorProgress = () => Effect.void
) {
  const { active: before } = yield* modelsOf(workspace)
  yield* refreshVectors(workspace, { onProgress, relearn: documents === "all" })
  const { active } = yield* modelsOf(workspace)
  // A model that became active meanwhile has new vectors already.
  if (active === undefined || before?.id !== active.id || before.createdAt !== active.createdAt) return
  const maker = yield* makerOf(workspace, active)
  if (maker === null) return
  const store = yield* DocumentStore
  let done = 0
  const total =
    documents === "all" ? (yield* store.counts(workspace)).chunks : yield* countOf(workspace, documents)
  const remake = (passages: ReadonlyArray<Passage>) =>
    Effect.gen(function* () {
      const wanted = yield* Effect.forEach(passages, (one) => chunkToEmbed(one.docTitle, one))
      for (const batch of Batches.chunksOf(wanted, maker.batchMax)) {
        yield* replace(workspace, active, maker, batch)
        yield* crashPoint("vector.fill.afterBatch")
        done += batch.length
        yield* onProgress(Math.min(done, total), Math.max(done, total))
      }
      yield* nextTurn
    })
  const work =
    documents === "all"
      ? Stream.runForEachChunk(store.allPassages(workspace), (passages) => remake(Array.from(passages)))
      : Effect.forEach(documents, (id) => Effect.flatMap(passagesOf(workspace, id), remake), {
          discard: true
        })
  // The process that replaced the model made all vectors again.
  yield* Effect.catchTag(work, "ModelDropped", () => Effect.void)
})

/** Returns the maker of the model's vectors; null when the engine has another model or the model cannot be read. */
const makerOf = (workspace: WorkspaceScope, active: VectorModel) =>
  Effect.gen(function* () {
    const { embedder } = yield* modelsIn(workspace)
    if (Option.isSome(embedder))
      return belongsToModel(active, embedder.value) ? embedderMaker(embedder.value, active.dimensions) : null
    const own = yield* readBuiltIn(workspace, active)
    return own === undefined ? null : builtInMaker(own.lsa)
  })

const passagesOf = (workspace: WorkspaceScope, id: DocumentId) =>
  Effect.gen(function* () {
    const store = yield* DocumentStore
    const chunks = yield* store.chunks(workspace, id)
    return yield* store.passages(
      workspace,
      chunks.map(({ label }) => label)
    )
  })

const countOf = (workspace: WorkspaceScope, documents: ReadonlyArray<DocumentId>) =>
  Effect.gen(function* () {
    const store = yield* DocumentStore
    const counts = yield* Effect.forEach(documents, (id) =>
      Effect.map(store.chunks(workspace, id), ({ length }) => length)
    )
    return counts.reduce((sum, count) => sum + count, 0)
  })

/** Stores the vectors whose text is still that of the passage; the others were updated meanwhile. */
const replace = (
  workspace: WorkspaceScope,
  { id }: VectorModel,
  maker: VectorMaker,
  batch: ReadonlyArray<ChunkToEmbed>
) =>
  Effect.gen(function* () {
    const [documents, vectors] = [yield* DocumentStore, yield* VectorStore]
    const made = yield* maker.make(batch.map(({ text }) => text))
    yield* atomically(
      Effect.gen(function* () {
        const present = yield* documents.passages(
          workspace,
          batch.map(({ label }) => label)
        )
        const hashes = new Map(
          (yield* Effect.forEach(present, (one) => chunkToEmbed(one.docTitle, one))).map((one) => [
            one.label,
            one.textHash
          ])
        )
        const current = Batches.zip(batch, made).filter(([one]) => hashes.get(one.label) === one.textHash)
        const isStored = yield* vectors.put(
          workspace,
          id,
          current.flatMap(([{ documentId, label, textHash }, { vector }]) =>
            vector === null ? [] : [{ label, documentId, textHash, vector }]
          )
        )
        if (!isStored) return yield* new ModelDropped({ model: id })
        yield* vectors.remove(
          workspace,
          id,
          current.flatMap(([{ label }, { vector }]) => (vector === null ? [label] : []))
        )
      })
    )
  })
