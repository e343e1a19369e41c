import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { sqlDocumentStore } from "../../../../adapters/sql/files/documents/document-store.js"
import { sqlVectorStore } from "../../../../adapters/sql/search/vectors/vector-store.js"
import { exactVectorIndex } from "../../../../adapters/vectors/vector-index.js"
import { type Chunk, DocumentStore } from "../../../../core/files/documents/index.js"
import { atomically, Ids, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { type Embedder, ModelFailed, Models } from "../../../../core/platform/models/index.js"
import { VectorChannel, VectorStore, vectorChannelLive } from "../../../../core/search/vectors/index.js"
import { document } from "../../../contract/document-store-world.js"
import { lawsAt } from "../../../contract/workspace.js"
import { baseLayer } from "../../../support/run.js"

type Embeds = Embedder["Type"]

/** Everything below the vector channel, over a database in memory. */
export const vectorsLayer = (embedder: Option.Option<Embeds> = Option.none(), database = vectorsDatabase()) =>
  vectorChannelLive.pipe(
    Layer.provideMerge(exactVectorIndex),
    Layer.provideMerge(Layer.succeed(Models, { chat: Option.none(), reranker: Option.none(), embedder })),
    Layer.provideMerge(database)
  )

export const vectorsDatabase = (base = baseLayer()) =>
  Layer.mergeAll(sqlDocumentStore, sqlVectorStore).pipe(Layer.provideMerge(base))

/** A document as a test sees it: a title and its passages. */
export interface Page {
  readonly title: string
  readonly passages: ReadonlyArray<string>
}

/** Puts pages (or nothing) at paths, as the documents room would: equal passages keep their labels. */
export const write = (workspace: WorkspaceScope, path: string, page: Page | null) =>
  atomically(
    Effect.gen(function* () {
      const store = yield* DocumentStore
      const ids = yield* Ids
      const before = Option.getOrNull(yield* store.findByPath(workspace, path))
      if (before === null && page === null) return
      const old = before === null ? [] : yield* store.chunks(workspace, before.id)
      const made = before ?? (yield* document(path, { version: 0 }))
      const after = {
        ...made,
        version: made.version + 1,
        title: page?.title ?? made.title,
        deletedAt: page === null ? lawsAt : null
      }
      yield* store.save(workspace, [{ before, after }])
      const texts = page?.passages ?? []
      const left = [...old]
      const kept: Array<Chunk> = []
      const wanted: Array<readonly [number, string]> = []
      for (const [ordinal, text] of texts.entries()) {
        const place = left.findIndex((chunk) => chunk.text === text)
        const [found] = place < 0 ? [] : left.splice(place, 1)
        if (found === undefined) wanted.push([ordinal, text])
        else kept.push({ ...found, ordinal })
      }
      const first = yield* store.takeLabels(workspace, wanted.length)
      const added = wanted.map(
        ([ordinal, text], place): Chunk => ({
          id: ids.make("chunk"),
          documentId: after.id,
          label: first + place,
          ordinal,
          headingPath: [],
          text,
          start: 0,
          end: text.length
        })
      )
      yield* store.changeChunks(workspace, { removed: left, added, kept })
    })
  )

const words = [
  "kiln",
  "glaze",
  "clay",
  "tide",
  "anchor",
  "harbour",
  "ledger",
  "audit",
  "invoice",
  "orchard",
  "graft"
]

/** A passage of words from a small vocabulary with a topic; equal numbers give equal passages. */
export const passage = (number: number): string =>
  Array.from({ length: 12 }, (_, i) => {
    const topic = number % 3
    const draw = (Math.imul(number + 11, 2654435761) ^ Math.imul(i + 5, 40503)) >>> 3
    return i % 4 === 3 ? `rare${draw % 40}` : (words[(topic * 4 + (draw % 4)) % words.length] ?? "")
  }).join(" ")

/** Pages enough to fit a model on. */
export const writeMany = (workspace: WorkspaceScope, count: number) =>
  Effect.forEach(
    Array.from({ length: Math.ceil(count / 3) }, (_, i) => i),
    (i) =>
      write(workspace, `base/${String(i).padStart(3, "0")}.md`, {
        title: `Base ${i}`,
        passages: [passage(3 * i), passage(3 * i + 1), passage(3 * i + 2)]
      }),
    { discard: true }
  )

/** Returns the state of the active model without labels: its id, its artefact, and each text with its vector. */
export const vectorState = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const store = yield* VectorStore
    // Built-in vectors beside those of an embedder have states of their own.
    const models = (yield* store.models(workspace)).filter(({ state }) => !state.startsWith("beside"))
    const [active] = models
    if (active === undefined) return null
    const passages = [...(yield* Stream.runCollect((yield* DocumentStore).allPassages(workspace)))]
    const stored = yield* store.since(workspace, active.id, 0, 100_000)
    const vectors = new Map(stored.map(({ label, vector }) => [label, vector]))
    return {
      models: models.map(({ dimensions, id, state }) => ({ dimensions, id, state })),
      artefact: Option.getOrNull(yield* store.artefact(workspace, active.id)),
      count: stored.length,
      vectors: passages.map(({ docPath, docTitle, label, text }) => ({
        docPath,
        docTitle,
        text,
        vector: vectors.get(label) ?? null
      }))
    }
  })

/** An embedder whose vectors depend on the text and the model alone; it may fail at some call. */
export const scriptedEmbedder = (modelId: string, dimensions: number, failAt = Number.POSITIVE_INFINITY) => {
  const seen: Array<string> = []
  let calls = 0
  const embedder: Embeds = {
    modelId,
    batchMax: 5,
    embed: (texts, purpose) =>
      Effect.suspend(() => {
        calls += 1
        if (calls === failAt) {
          return Effect.fail(new ModelFailed({ modelId, message: "out of order", retryable: true }))
        }
        if (purpose === "passage") seen.push(...texts)
        return Effect.succeed(texts.map((text) => hashed(modelId + text, dimensions)))
      })
  }
  return { embedder, seen }
}

const hashed = (text: string, dimensions: number): Float32Array => {
  let state = 17
  for (let i = 0; i < text.length; i += 1) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193)
  const raw = Float32Array.from({ length: dimensions }, (_, i) => {
    state = Math.imul(state ^ (state >>> 13), 0x5bd1e995) + i
    return (state & 0xffff) / 0x8000 - 1
  })
  const length = Math.sqrt(raw.reduce((sum, value) => sum + value * value, 0))
  return raw.map((value) => value / length)
}

/** A question to the channel alone. */
export const query = (text: string) => ({ text, terms: [], lexicalHits: [], limit: 200 })

/** Returns the texts that a search finds: labels differ between histories. */
export const found = (workspace: WorkspaceScope, text: string) =>
  Effect.gen(function* () {
    const { hits } = yield* (yield* VectorChannel).search(workspace, query(text))
    const passages = yield* (yield* DocumentStore).passages(
      workspace,
      hits.map(({ label }) => label)
    )
    const texts = new Map(passages.map(({ label, ...rest }) => [label, `${rest.docTitle}: ${rest.text}`]))
    return hits
      .map(({ label, score }) => ({ text: texts.get(label), score }))
      .sort((a, b) => b.score - a.score || String(a.text).localeCompare(String(b.text)))
  })
