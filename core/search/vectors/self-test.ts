import * as Batches from "effect/Array"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type Chunk, DocumentStore } from "../../files/documents/index.js"
import type { WorkspaceScope } from "../../platform/kernel/index.js"
import type { Embedder } from "../../platform/models/index.js"
import { lsaFolder } from "./lsa.js"
import { lsaPrefix } from "./lsa-corpus.js"
import { termCounts } from "./lsa-terms.js"
import { modelsOf, readBuiltIn } from "./models-of.js"
import { VectorStore } from "./store.js"
import { unitOf } from "./vector-makers.js"

/** Documents of the test, and fewer are too few to tell; passages of each, and documents looked at. */
const documentsMax = 60
const documentsMin = 12
const passagesMax = 8
const lookedAtMax = 2000
const documentsPerPage = 64

/** A share of the built-in vectors' figure below which an embedder is not trusted at all. */
const shareMin = 0.5

/** A sentence of the workspace, the passage it is from, and other passages of its document, which it should find. */
interface Topic {
  readonly query: string
  readonly source: number
  readonly targets: ReadonlyArray<number>
}

/**
 * Measures how well an embedder finds the workspace's own texts, once for each set of vectors: the first sentence of a
 * document should find the other passages of that document among those of all. The mean reciprocal rank, as a share
 * of that of the built-in vectors, becomes the trust in the embedder. Without built-in vectors, or with too few
 * documents, nothing is measured; an embedder that fails is measured next time.
 */
export const measureTrust = (
  workspace: WorkspaceScope,
  embedder: Context.Tag.Service<Embedder>,
  again: boolean
) =>
  Effect.gen(function* () {
    const [main, beside] = [yield* modelsOf(workspace), yield* modelsOf(workspace, "beside")]
    if (main.active === undefined || main.active.id.startsWith(lsaPrefix)) return
    if (main.active.trust !== undefined && !again) return
    const own = beside.active && (yield* readBuiltIn(workspace, beside.active))
    if (own === undefined) return
    const topics = yield* sampleTopics(workspace)
    if (topics.length < documentsMin) return
    const queries = topics.map(({ query }) => query)
    const given = yield* Effect.forEach(Batches.chunksOf(queries, Math.max(1, embedder.batchMax)), (batch) =>
      embedder.embed(batch, "query")
    ).pipe(Effect.map((batches) => batches.flat().map((vector) => unitOf(vector) ?? null)))
    const fold = lsaFolder(own.lsa)
    const folded = queries.map((query) => fold(termCounts(query)).vector)
    const theirs = yield* meanRank(workspace, main.active.id, topics, given)
    const ours = yield* meanRank(workspace, own.model.id, topics, folded)
    yield* (yield* VectorStore).setTrust(workspace, main.active.id, trustOf(theirs, ours))
  }).pipe(Effect.catchTag("ModelFailed", () => Effect.void))

/** Returns 1 for an embedder that is as good as the built-in vectors, and less the worse it is. */
const trustOf = (theirs: number, ours: number): number => {
  if (theirs >= ours) return 1
  const share = theirs / ours
  return share < shareMin ? 0 : Number((share * share).toFixed(4))
}

const meanRank = (
  workspace: WorkspaceScope,
  model: string,
  topics: ReadonlyArray<Topic>,
  queries: ReadonlyArray<Float32Array | null>
) =>
  Effect.gen(function* () {
    const labels = topics.flatMap(({ source, targets }) => [source, ...targets])
    const vectors = yield* (yield* VectorStore).vectors(workspace, model, labels)
    const ranks = topics.map(({ source, targets }, place) => {
      const query = queries[place] ?? null
      if (query === null) return 0
      const wanted = new Set(targets)
      const scored = vectors
        .filter(({ label }) => label !== source)
        .map(({ label, vector }) => ({ label, score: dot(query, vector) }))
        .sort((a, b) => b.score - a.score || a.label - b.label)
      const first = scored.findIndex(({ label }) => wanted.has(label))
      return first < 0 ? 0 : 1 / (first + 1)
    })
    return ranks.reduce((sum, rank) => sum + rank, 0) / Math.max(1, ranks.length)
  })

const dot = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let i = 0; i < a.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}

const sampleTopics = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const documents = yield* DocumentStore
    const topics: Array<Topic> = []
    for (let [seq, looked] = [0, 0]; looked < lookedAtMax && topics.length < documentsMax; ) {
      const page = yield* documents.changesSince(workspace, seq, documentsPerPage)
      const last = page.at(-1)
      if (last === undefined) break
      seq = last.seq
      looked += page.length
      for (const { deletedAt, id } of page) {
        if (deletedAt !== null || topics.length === documentsMax) continue
        const topic = topicOf(yield* documents.chunks(workspace, id))
        if (topic !== null) topics.push(topic)
      }
    }
    return topics
  })

const wordsMin = 5
const queryCharsMax = 300

/** The first sentence of a document with several passages; null without one. */
const topicOf = (chunks: ReadonlyArray<Chunk>): Topic | null => {
  for (const { label, text } of chunks) {
    const prose = text
      .split("\n")
      .filter((line) => /^[\p{L}\p{N}"“„«]/u.test(line) && !/^[\w-]+:\s/u.test(line))
      .join("\n")
    const [sentence = ""] = prose
      .slice(0, 2 * queryCharsMax)
      .replace(/[*_`[\]|]+/gu, " ")
      .split(/(?<=[.!?。！？])\s/u)
    const others = chunks.filter((other) => other.label !== label)
    if (sentence.split(/\s+/u).length < wordsMin || others.length === 0) continue
    const targets = others.slice(0, passagesMax).map((other) => other.label)
    return { query: sentence.slice(0, queryCharsMax), source: label, targets }
  }
  return null
}
