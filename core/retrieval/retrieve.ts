import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type DocumentFilter, DocumentStore, type Passage } from "../documents/index.js"
import { now, type WorkspaceScope } from "../kernel/index.js"
import { Models } from "../models/index.js"
import { WorkspaceStore } from "../workspace/index.js"
import { type AnalysedQuery, analyseQuery } from "./analyse-query.js"
import { factorMax, governanceFactor } from "./demote.js"
import { type Fused, fuse } from "./fuse.js"
import { type LexicalResult, lexicalSearch } from "./lexical.js"
import type { Channel } from "./model.js"
import { rerankPassages } from "./rerank.js"
import type { RetrievedPassage } from "./retrieved.js"
import { VectorChannel, type VectorHits } from "./vector-channel.js"

/** Most hits of one channel. */
const channelLimit = 100
/** Lexical hits that seed the query of the built-in vectors. */
const seeds = 3
/** Passages that a reranker sees. */
const rerankPool = 50

export interface Retrieval {
  /** Best first. */
  readonly passages: ReadonlyArray<RetrievedPassage>
  /** All chunks of the fused list, before any limit. */
  readonly total: number
  readonly query: AnalysedQuery
  /** Inverse document frequency of each term of the query. */
  readonly termWeights: ReadonlyMap<string, number>
  /** Best BM25 score over the most that any chunk could reach (s), from 0 to 1. */
  readonly saturation: number
  /** Weight of the vector channel in the fusion (w); 0 when it found nothing. */
  readonly vectorWeight: number
  /** Labels of the first lexical hits, which seed the query of the built-in vectors. */
  readonly seedLabels: ReadonlyArray<number>
  readonly reranked: boolean
}

export interface RetrievalRequest {
  readonly query: string
  /** Passages wanted, at least 1; a reranked list is never longer than 50. */
  readonly limit: number
  readonly rerank: boolean
  readonly filter?: DocumentFilter
}

/**
 * Finds passages by words and by vectors, fuses both lists by reciprocal rank, weighs in governance and, where
 * asked and possible, lets the reranker judge the best 50. Only live passages come back. A blank query finds
 * nothing; a channel or reranker that is down is done without.
 */
export const retrieve = (workspace: WorkspaceScope, request: RetrievalRequest) =>
  Effect.gen(function* () {
    const query = analyseQuery(request.query)
    if (request.query.trim() === "") return nothingFound(query)
    const allow = yield* allowedLabels(workspace, request.filter)
    const options = { limit: channelLimit, ...(allow === undefined ? {} : { allow }) }
    const lexical = yield* lexicalSearch(workspace, query, options)
    const vector = yield* (yield* VectorChannel).search(workspace, {
      text: request.query,
      terms: query.terms,
      lexicalHits: lexical.hits,
      ...options
    })
    const { retrieval } = (yield* (yield* WorkspaceStore).get(workspace)).settings
    // The index of vectors may be late: what the lexical index no longer holds is gone.
    const live = vector.hits.filter(({ label }) => lexical.isLive(label))
    const vectorWeight = live.length === 0 ? 0 : weightOf(vector, lexical.saturation, retrieval.vectorWeight)
    const fused = fuse<Channel, number>(
      [
        { name: "fts", ids: lexical.hits.map(({ label }) => label), weight: retrieval.ftsWeight },
        { name: "vector", ids: live.map(({ label }) => label), weight: vectorWeight }
      ],
      { k: retrieval.rrfK, compare: lexical.compare }
    )
    const { reranker } = yield* Models
    const pool =
      request.rerank && Option.isSome(reranker) ? Math.max(rerankPool, request.limit) : request.limit
    const governed = describe(yield* bestGoverned(workspace, fused, pool), lexical, live)
    const reranked =
      request.rerank && Option.isSome(reranker)
        ? yield* rerankPassages(reranker.value, request.query, governed.slice(0, rerankPool))
        : null
    return {
      passages: (reranked ?? governed).slice(0, request.limit),
      total: fused.length,
      query,
      termWeights: new Map(query.terms.map(({ term }, i) => [term, lexical.weights[i] ?? 0])),
      saturation: lexical.saturation,
      vectorWeight,
      seedLabels: lexical.hits.slice(0, seeds).map(({ label }) => label),
      reranked: reranked !== null
    } satisfies Retrieval
  })

const nothingFound = (query: AnalysedQuery): Retrieval => ({
  passages: [],
  total: 0,
  query,
  termWeights: new Map(),
  saturation: 0,
  vectorWeight: 0,
  seedLabels: [],
  reranked: false
})

/** The labels that the filter lets through; undefined when it narrows nothing. */
const allowedLabels = (workspace: WorkspaceScope, filter: DocumentFilter | undefined) =>
  Effect.gen(function* () {
    if (filter === undefined || Object.values(filter).every((value) => value === undefined)) return undefined
    return new Set(yield* (yield* DocumentStore).labels(workspace, filter))
  })

/**
 * A query that one chunk answers word for word (saturation near 1) is left to the words; a vague one is shared
 * with the built-in vectors. A real embedding model weighs as the workspace has set.
 */
const weightOf = (vector: VectorHits, saturation: number, configured: number): number => {
  const weight = vector.builtIn ? Math.min(1, Math.max(0.2, 1.2 - saturation)) : configured
  return Math.min(weight, vector.weightMax ?? Number.POSITIVE_INFINITY)
}

interface Governed {
  readonly passage: Passage
  readonly score: number
  readonly fused: Fused<Channel, number>
}

/**
 * The best passages after governance. Looks at no more of the fused list than can still rise into them: passages
 * are large, and most of the list stays where it is.
 */
const bestGoverned = (
  workspace: WorkspaceScope,
  fused: ReadonlyArray<Fused<Channel, number>>,
  wanted: number
) =>
  Effect.gen(function* () {
    const documents = yield* DocumentStore
    const overdue = yield* overdueReviews(workspace)
    const governed: Array<Governed> = []
    for (let from = 0, size = wanted * 2; from < fused.length; from += size) {
      const batch = fused.slice(from, from + size)
      const passages = yield* documents.passages(
        workspace,
        batch.map(({ id }) => id)
      )
      const byLabel = new Map(passages.map((passage) => [passage.label, passage]))
      for (const item of batch) {
        const passage = byLabel.get(item.id)
        if (passage === undefined) continue
        const factor = governanceFactor({
          verification: passage.docVerification,
          reviewOverdue: yield* overdue(passage)
        })
        governed.push({ passage, score: item.score * factor, fused: item })
      }
      // A stable sort: equal scores keep the order of the fusion.
      governed.sort((a, b) => b.score - a.score)
      const last = governed[wanted - 1]
      const next = fused[from + size]
      if (next === undefined || (last !== undefined && last.score >= next.score * factorMax)) break
    }
    return governed.slice(0, wanted)
  })

/** Tells whether the review of a passage's document is overdue; only documents that were verified have one. */
const overdueReviews = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const documents = yield* DocumentStore
    const moment = yield* now
    const known = new Map<string, boolean>()
    return ({ docVerification, documentId }: Passage) =>
      Effect.gen(function* () {
        if (docVerification !== "verified" && docVerification !== "certified") return false
        const held = known.get(documentId)
        if (held !== undefined) return held
        const document = yield* documents.find(workspace, documentId)
        const due = Option.match(document, { onNone: () => null, onSome: ({ nextVerifyAt }) => nextVerifyAt })
        const overdue = due !== null && due < moment
        known.set(documentId, overdue)
        return overdue
      })
  })

const describe = (
  governed: ReadonlyArray<Governed>,
  lexical: LexicalResult,
  vectorHits: VectorHits["hits"]
): ReadonlyArray<RetrievedPassage> => {
  const lexicalScores = new Map(lexical.hits.map(({ label, score }) => [label, score]))
  const vectorScores = new Map(vectorHits.map(({ label, score }) => [label, score]))
  return governed.map(({ fused, passage, score }) => ({
    passage,
    score,
    fusedScore: fused.score,
    ranks: fused.ranks,
    channels: channelOrder.filter((channel) => fused.ranks[channel] !== undefined),
    lexicalScore: lexicalScores.get(fused.id) ?? null,
    vectorScore: vectorScores.get(fused.id) ?? null,
    rerankScore: null
  }))
}

const channelOrder: ReadonlyArray<Channel> = ["fts", "vector"]
