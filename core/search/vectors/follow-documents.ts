import * as Batches from "effect/Array"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Document, DocumentStore } from "../../files/documents/index.js"
import { atomically, crashPoint, Ids, nextTurn, type WorkspaceScope } from "../../platform/kernel/index.js"
import { type VectorDrift, type VectorModel, VectorStore } from "./store.js"
import { embedText, textHashOf } from "./stored-vector.js"
import type { VectorMaker } from "./vector-makers.js"

/** The model was dropped while its vectors were made: another worker has replaced it. */
export class ModelDropped extends Data.TaggedError("ModelDropped")<{ readonly model: string }> {}

/** Reports the number of vectors made, and of those known to be needed. */
export type VectorProgress = (done: number, total: number) => Effect.Effect<void>

/** A chunk that needs a vector. */
export interface ChunkToEmbed {
  readonly label: number
  readonly documentId: Document["id"]
  readonly text: string
  readonly textHash: string
}

const noDrift: VectorDrift = { chunks: 0, terms: 0, unknownTerms: 0 }

const documentsPerPage = 64

/**
 * Updates a model's vectors to the present documents: removes those of deleted chunks, makes missing ones and those
 * made from an older text. Each batch and its cursor are stored in one unit of work, so an interrupted run continues
 * where it stopped. Returns the model as it is then, or as it was when it was found to be outdated, before all
 * documents are followed.
 */
export const followDocuments = (
  workspace: WorkspaceScope,
  start: VectorModel,
  maker: VectorMaker,
  onProgress: VectorProgress,
  isOutdated: (model: VectorModel) => boolean = () => false
) =>
  Effect.gen(function* () {
    const documents = yield* DocumentStore
    let model = start
    let done = 0
    while (true) {
      const page = yield* documents.changesSince(workspace, model.cursor, documentsPerPage)
      const last = page[page.length - 1]
      if (last === undefined || isOutdated(model)) return model
      const { gone, wanted } = yield* compare(workspace, model.id, page)
      model = yield* removeGone(workspace, model, gone)
      // A building model may have been fitted on the former texts while its vectors come from the present ones.
      // Nothing is left to embed then, but the model differs from a fresh fit, so the drift is recorded.
      if (model.state === "building" || model.state === "beside_building")
        model = drifted(model, { ...noDrift, chunks: page.length })
      let left = wanted.reduce((sum, { chunks }) => sum + chunks.length, 0)
      const total = done + left
      for (const batch of batchesOf(wanted, maker.batchMax)) {
        model = yield* store(workspace, model, maker, batch)
        done += batch.chunks.length
        left -= batch.chunks.length
        yield* onProgress(done, total)
      }
      model = { ...model, cursor: last.seq }
      yield* keep(workspace, model)
      yield* crashPoint("vector.cursor.afterMove")
      yield* nextTurn
    }
  })

/** Returns the missing vectors of each document of a page, in page order, and the labels that are no longer chunks. */
const compare = (workspace: WorkspaceScope, model: string, page: ReadonlyArray<Document>) =>
  Effect.gen(function* () {
    const vectors = yield* VectorStore
    const documents = yield* DocumentStore
    const storedVectors = Batches.groupBy(
      yield* vectors.ofDocuments(
        workspace,
        model,
        page.map(({ id }) => id)
      ),
      ({ documentId }) => documentId
    )
    const removedLabels: Array<number> = []
    const wanted: Array<{ readonly seq: number; readonly chunks: ReadonlyArray<ChunkToEmbed> }> = []
    for (const document of page) {
      const chunks = yield* documents.chunks(workspace, document.id)
      const live = new Set(chunks.map(({ label }) => label))
      const own = storedVectors[document.id] ?? []
      removedLabels.push(...own.map(({ label }) => label).filter((label) => !live.has(label)))
      const hashes = new Map(own.map(({ label, textHash }) => [label, textHash]))
      const all = yield* Effect.forEach(chunks, (chunk) => chunkToEmbed(document.title, chunk))
      wanted.push({
        seq: document.seq,
        chunks: all.filter(({ label, textHash }) => hashes.get(label) !== textHash)
      })
    }
    return { gone: removedLabels, wanted }
  })

export const chunkToEmbed = (
  title: string,
  chunk: Parameters<typeof embedText>[1] & Pick<ChunkToEmbed, "label" | "documentId">
) =>
  Effect.map(Ids, ({ sha256 }): ChunkToEmbed => {
    const text = embedText(title, chunk)
    return { label: chunk.label, documentId: chunk.documentId, text, textHash: textHashOf(sha256, text) }
  })

/** Chunks stored together, and the last change that is complete with them; none when a change is split. */
interface Batch {
  readonly chunks: ReadonlyArray<ChunkToEmbed>
  readonly seq: number | null
}

const batchesOf = (
  wanted: ReadonlyArray<{ readonly seq: number; readonly chunks: ReadonlyArray<ChunkToEmbed> }>,
  size: number
): ReadonlyArray<Batch> => {
  const flat = wanted.flatMap(({ chunks, seq }) =>
    chunks.map((chunk, place) => ({ chunk, seq: place === chunks.length - 1 ? seq : null }))
  )
  return Batches.chunksOf(flat, size).map((part) => ({
    chunks: part.map(({ chunk }) => chunk),
    seq: part.reduce<number | null>((latest, { seq }) => seq ?? latest, null)
  }))
}

const removeGone = (workspace: WorkspaceScope, model: VectorModel, gone: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    if (gone.length === 0) return model
    const next = drifted(model, { ...noDrift, chunks: gone.length })
    const vectors = yield* VectorStore
    yield* atomically(Effect.zipRight(vectors.remove(workspace, model.id, gone), keep(workspace, next)))
    return next
  })

const store = (workspace: WorkspaceScope, model: VectorModel, maker: VectorMaker, { chunks, seq }: Batch) =>
  Effect.gen(function* () {
    const made = yield* maker.make(chunks.map(({ text }) => text))
    const next = {
      ...drifted(model, {
        chunks: chunks.length,
        terms: made.reduce((sum, { knownCount, unknownCount }) => sum + knownCount + unknownCount, 0),
        unknownTerms: made.reduce((sum, { unknownCount }) => sum + unknownCount, 0)
      }),
      cursor: seq ?? model.cursor
    }
    const emptied = chunks.filter((_, place) => made[place]?.vector == null).map(({ label }) => label)
    const vectors = yield* VectorStore
    yield* atomically(
      Effect.gen(function* () {
        yield* put(workspace, model.id, chunks, made)
        // A chunk whose new text has no vector must not keep the old one.
        yield* vectors.remove(workspace, model.id, emptied)
        yield* crashPoint("vector.rows.insideTransaction")
        yield* keep(workspace, next)
      })
    )
    yield* crashPoint("vector.rows.afterTransaction")
    return next
  })

const put = (
  workspace: WorkspaceScope,
  model: string,
  chunks: ReadonlyArray<ChunkToEmbed>,
  made: ReadonlyArray<{ readonly vector: Float32Array | null }>
) =>
  Effect.gen(function* () {
    const stored = chunks.flatMap(({ documentId, label, textHash }, place) => {
      const vector = made[place]?.vector ?? null
      return vector === null ? [] : [{ label, documentId, textHash, vector }]
    })
    const isStored = yield* (yield* VectorStore).put(workspace, model, stored)
    if (!isStored) return yield* new ModelDropped({ model })
  })

const keep = (workspace: WorkspaceScope, { cursor, drift, id }: VectorModel) =>
  Effect.flatMap(VectorStore, (vectors) => vectors.advance(workspace, id, { cursor, drift }))

/** Drift is counted for fitted models only. */
const drifted = (model: VectorModel, by: VectorDrift): VectorModel =>
  model.fittedChunks === 0
    ? model
    : {
        ...model,
        drift: {
          chunks: model.drift.chunks + by.chunks,
          terms: model.drift.terms + by.terms,
          unknownTerms: model.drift.unknownTerms + by.unknownTerms
        }
      }

/**
 * Makes the vectors of all live chunks that a new model lacks. It does not move the cursor: changes after the model's
 * cursor are followed next, so changes made meanwhile are not lost.
 */
export const fillModel = (
  workspace: WorkspaceScope,
  model: string,
  maker: VectorMaker,
  total: number,
  onProgress: VectorProgress
) =>
  Effect.gen(function* () {
    const vectors = yield* VectorStore
    const documents = yield* DocumentStore
    let done = 0
    yield* Stream.runForEachChunk(documents.allPassages(workspace), (passages) =>
      Effect.gen(function* () {
        const page = Array.from(passages)
        const storedVectors = new Map(
          (yield* vectors.ofDocuments(
            workspace,
            model,
            Batches.dedupe(page.map(({ documentId }) => documentId))
          )).map(({ label, textHash }) => [label, textHash])
        )
        const all = yield* Effect.forEach(page, (passage) => chunkToEmbed(passage.docTitle, passage))
        const missing = all.filter(({ label, textHash }) => storedVectors.get(label) !== textHash)
        done += all.length - missing.length
        for (const chunks of Batches.chunksOf(missing, maker.batchMax)) {
          const made = yield* maker.make(chunks.map(({ text }) => text))
          yield* put(workspace, model, chunks, made)
          yield* crashPoint("vector.fill.afterBatch")
          done += chunks.length
          yield* onProgress(Math.min(done, total), total)
        }
        yield* nextTurn
      })
    )
  })
