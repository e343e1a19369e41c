import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type DocumentFilter, DocumentStore, type Passage } from "../../files/documents/index.js"
import { type AnalysedQuery, analyseQuery } from "../../language/tokenization/index.js"
import { type DocumentId, momentOfReading, type WorkspaceScope } from "../../platform/kernel/index.js"
import { type Models, modelsFor } from "../../platform/models/index.js"
import { type LexicalResult, lexicalSearch, PostingStore } from "../lexical/index.js"
import { seedsMax, VectorChannel, type VectorHits } from "../vectors/index.js"
import { demote, demotionRanksMax } from "./demote.js"
import { type Fused, rrfK } from "./fuse.js"
import { channelRanks, fuseChannels, type List, type RetrievalTuning, tiedScores } from "./fuse-channels.js"
import { factorMax, type GovernanceWeights, governanceFactor } from "./governance-factor.js"
import type { Channel, RetrievedPassage } from "./model.js"
import { rerankPassages } from "./rerank.js"
import { SearchCache } from "./search-cache.js"
import { pin, uniquePhraseMatch } from "./unique-phrase-match.js"

export type { RetrievalTuning }

/** Maximum number of vector hits. */
const vectorLimit = 100
/**
 * Maximum number of lexical hits; large enough that vector hits usually occur in both lists. Measured:
 * docs/retrieval-quality.md.
 */
const wordsLimit = 200
/** Number of passages given to a reranker. */
const rerankPool = 50

/** The result of a retrieval, with the data that explains it and that the gate uses. */
export interface Retrieval {
  /** Best first. */
  readonly passages: ReadonlyArray<RetrievedPassage>
  /** Number of chunks in the fused list, before any limit. */
  readonly total: number
  readonly query: AnalysedQuery
  /** Inverse document frequency of each query term, and the weights of expanded terms. */
  readonly termWeights: ReadonlyMap<string, number>
  /** Best BM25 score divided by the highest possible score (s), from 0 to 1. */
  readonly saturation: number
  /** Whether the vector scores are those of an embedding model, not of the vectors learned from the workspace. */
  readonly embedded: boolean
  /** Weight of the vector channel in the fusion (w); 0 when it found nothing. */
  readonly vectorWeight: number
  /** Labels of the first lexical hits, which seed the query vector of the built-in model. */
  readonly seedLabels: ReadonlyArray<number>
  readonly reranked: boolean
  /** Database stamp of the state that was searched; see `PostingStore`. */
  readonly stamp: string | null
}

type Services = SearchCache | PostingStore | VectorChannel | Models

/** Query, filter and limits of a retrieval. */
export interface RetrievalRequest {
  readonly query: string
  /** Number of passages, at least 1; a reranked list holds at most 50. */
  readonly limit: number
  readonly rerank: boolean
  readonly filter?: DocumentFilter
  /** The current stamp; read when left out. */
  readonly stamp?: string | null
  /** Whether demotion only reorders the passages that would be found without it, so that none leaves the candidates. */
  readonly keepsCandidates?: boolean
  /** Replaces settings of the workspace for this search; evaluation runs compare settings so. */
  readonly tuning?: RetrievalTuning
}

/**
 * Finds passages by words and by vectors, fuses both lists by reciprocal rank, applies governance and, if requested
 * and available, lets the reranker order the best 50. Governance never lowers a passage that is the only exact match
 * of the query's phrase. Returns only live passages. A blank query finds nothing; a channel or reranker that fails is
 * skipped.
 * This generator, like all those that every search runs, is created once. A generator created per call has its own
 * hidden class in V8's old space, which keeps everything in its closure alive until the next full collection.
 */
export const retrieve = Effect.fnUntraced(function* (workspace: WorkspaceScope, request: RetrievalRequest) {
  const query = analyseQuery(request.query)
  if (request.query.trim() === "") return nothingFound(query)
  const services = yield* Effect.context<Services>()
  const memory = Context.get(services, SearchCache)
  const stamp = request.stamp ?? (yield* Context.get(services, PostingStore).stamp(workspace))
  const allow = isNarrow(request.filter) ? yield* allowedLabels(workspace, request.filter) : undefined
  const options = { stamp, ...(allow === undefined ? {} : { allow }) }
  const lexical = yield* lexicalSearch(workspace, query, { ...options, limit: wordsLimit })
  const vector = yield* Context.get(services, VectorChannel).search(workspace, {
    text: request.query,
    terms: query.terms,
    lexicalHits: lexical.hits,
    limit: vectorLimit,
    ...options,
    // A filter reads the visible documents only.
    ...(allow === undefined && lexical.visible !== undefined ? { allow: lexical.visible } : {})
  })
  const { models: chosen, retrieval } = yield* memory.settings(workspace, stamp)
  const { besideLive, fused, live, vectorWeight } = fuseChannels(lexical, vector, retrieval, request.tuning)
  const reranker = request.rerank ? (yield* modelsFor(workspace, chosen)).reranker : Option.none()
  const pool = Option.isSome(reranker) ? Math.max(rerankPool, request.limit) : request.limit
  const phraseMatch = uniquePhraseMatch(workspace, request.query, options)
  const basesOf = (count: number) => tiedScores(fused, lexical.hits, live, besideLive, count)
  const weights = request.tuning?.demotion === false ? noGovernanceWeights : retrieval.governance
  const isReranking = Option.isSome(reranker)
  // A reranker judges the candidates as found; its order is demoted afterwards.
  const demotes = isReranking ? "not" : request.keepsCandidates === true ? "within" : "all"
  const wanted = { count: pool, weights, demotes, sought: phraseMatch, basesOf } as const
  const governed = describe(yield* bestGoverned(workspace, stamp, memory, fused, wanted), lexical, live)
  const reranked = Option.isSome(reranker)
    ? yield* rerankPassages(reranker.value, request.query, governed.slice(0, rerankPool))
    : null
  const ordered = isReranking ? demotedByRank(reranked ?? governed, weights) : governed
  return {
    passages: ordered.slice(0, request.limit),
    total: fused.length,
    query,
    termWeights: lexical.termWeights,
    saturation: lexical.saturation,
    embedded: !vector.builtIn,
    vectorWeight,
    seedLabels: lexical.hits.slice(0, seedsMax).map(({ label }) => label),
    reranked: reranked !== null,
    stamp
  } satisfies Retrieval
})

const isDeprecated = ({ passage }: { readonly passage: Passage }): boolean =>
  passage.docVerification === "deprecated"

/** Demotes by reciprocal rank, since the scores of rerankers have no common scale. The scores stay. */
const demotedByRank = (passages: ReadonlyArray<RetrievedPassage>, { deprecated }: GovernanceWeights) =>
  demote(
    passages.map((item, place) => ({ item, passage: item.passage, score: 1 / (rrfK + place) })),
    deprecated,
    isDeprecated
  ).map(({ item }) => item)
/** Leaves every score as it is. */
const noGovernanceWeights: GovernanceWeights = {
  deprecated: 1,
  verified: 1,
  certified: 1,
  reviewOverdue: 1,
  retiredConcept: 1
}

const nothingFound = (query: AnalysedQuery): Retrieval => ({
  passages: [],
  total: 0,
  query,
  termWeights: new Map(),
  saturation: 0,
  embedded: false,
  vectorWeight: 0,
  seedLabels: [],
  reranked: false,
  stamp: null
})

/** Whether a filter excludes anything. */
export const isNarrow = (filter: DocumentFilter | undefined): filter is DocumentFilter =>
  filter !== undefined && Object.values(filter).some((value) => value !== undefined)

/** Returns the labels that pass the filter. */
export const allowedLabels = (workspace: WorkspaceScope, filter: DocumentFilter) =>
  Effect.flatMap(DocumentStore, (documents) =>
    Effect.map(documents.labels(workspace, filter), (labels) => new Set(labels))
  )

export interface Governed {
  readonly passage: Passage
  readonly score: number
  readonly fused: Fused<List, number>
}

/**
 * Returns the best passages after governance. Loads only as much of the fused list as can still enter the result,
 * since passages are large and most of the list does not move.
 */
const bestGoverned = Effect.fnUntraced(function* (
  workspace: WorkspaceScope,
  stamp: string | null,
  memory: Context.Tag.Service<SearchCache>,
  fused: ReadonlyArray<Fused<List, number>>,
  { basesOf, count: wanted, demotes, sought: phraseMatch, weights }: GovernanceOptions
) {
  const governed: Array<Governed> = []
  for (let from = 0, size = wanted * 2; from < fused.length; from += size) {
    const batch = fused.slice(from, from + size)
    const passages = yield* memory.passages(
      workspace,
      stamp,
      batch.map(({ id }) => id)
    )
    const verified = verifiedIn(passages)
    const overdue = verified.size === 0 ? none : yield* overdueReviews(workspace, stamp, verified)
    const next = fused[from + size]
    if (
      govern(governed, batch, passages, overdue, {
        wanted,
        next,
        weights,
        bases: basesOf(from + size + 1),
        from
      })
    )
      break
  }
  // When governance changes no score, no hit needs to be pinned.
  const isMoved = governed.some(
    (one) => one.score !== one.fused.score || (demotes !== "not" && isDeprecated(one))
  )
  const label = isMoved ? yield* phraseMatch : null
  const lifted = label === null ? governed : pin(governed, label, factorMax(weights))
  if (demotes === "not") return lifted.slice(0, wanted)
  return demote(
    demotes === "within" ? lifted.slice(0, wanted) : lifted,
    weights.deprecated,
    (one) => isDeprecated(one) && one.passage.label !== label
  ).slice(0, wanted)
})

interface GovernanceOptions {
  readonly count: number
  readonly weights: GovernanceWeights
  /** Whether deprecated documents are demoted in the whole list, within the first `count`, or not here. */
  readonly demotes: "all" | "within" | "not"
  /** Returns the base scores of the first hits. */
  readonly basesOf: (count: number) => Float64Array
  /** Label of the only exact phrase match. */
  readonly sought: ReturnType<typeof uniquePhraseMatch>
}

/**
 * Applies governance to a batch and sorts all passages so far. Returns true when no later hit can still enter the
 * result.
 */
const govern = (
  governed: Array<Governed>,
  batch: ReadonlyArray<Fused<List, number>>,
  passages: ReadonlyMap<number, Passage>,
  overdue: ReadonlySet<DocumentId>,
  {
    bases,
    from,
    next,
    wanted,
    weights
  }: {
    readonly wanted: number
    readonly next: Fused<List, number> | undefined
    readonly weights: GovernanceWeights
    /** Base scores of the list up to the hit after the batch, which starts at `from`. */
    readonly bases: Float64Array
    readonly from: number
  }
): boolean => {
  for (const [place, item] of batch.entries()) {
    const passage = passages.get(item.id)
    if (passage === undefined) continue
    const state = {
      verification: passage.docVerification,
      reviewOverdue: overdue.has(passage.documentId)
    }
    const factor = governanceFactor(state, weights)
    const score = factor === 1 ? item.score : (bases[from + place] ?? item.score) * factor
    governed.push({ passage, score, fused: item })
  }
  // The sort is stable: equal scores keep their fused order.
  governed.sort((a, b) => b.score - a.score)
  // Others move up by as many ranks as a demoted one loses.
  const needed = governed.slice(0, wanted).some(isDeprecated) ? wanted + demotionRanksMax : wanted
  const last = governed[needed - 1]
  const highest = bases[from + batch.length] ?? next?.score ?? 0
  return next === undefined || (last !== undefined && last.score >= highest * factorMax(weights))
}

const none: ReadonlySet<DocumentId> = new Set()

/** Returns the verified documents among these passages; only those have reviews. */
const verifiedIn = (passages: ReadonlyMap<number, Passage>): ReadonlySet<DocumentId> => {
  let verified: Set<DocumentId> | null = null
  for (const { docVerification, documentId } of passages.values()) {
    if (docVerification !== "verified" && docVerification !== "certified") continue
    verified ??= new Set()
    verified.add(documentId)
  }
  return verified ?? none
}

/** Returns those of the verified documents whose review is overdue. */
const overdueReviews = (workspace: WorkspaceScope, stamp: string | null, verified: ReadonlySet<DocumentId>) =>
  Effect.gen(function* () {
    const memory = yield* SearchCache
    const moment = yield* momentOfReading
    const overdue = new Set<DocumentId>()
    for (const document of verified) {
      const due = yield* memory.reviewDue(workspace, stamp, document)
      if (due !== null && due < moment) overdue.add(document)
    }
    return overdue
  })

/** Adds the ranks and channel scores to each passage. */
const describe = (
  governed: ReadonlyArray<Governed>,
  lexical: LexicalResult,
  vectorHits: VectorHits["hits"]
): ReadonlyArray<RetrievedPassage> =>
  governed.map(({ fused, passage, score }) => ({
    passage,
    score,
    fusedScore: fused.score,
    ranks: channelRanks(fused.ranks),
    channels: channelOrder.filter((channel) => channelRanks(fused.ranks)[channel] !== undefined),
    lexicalScore: lexical.hits[(fused.ranks.fts ?? 0) - 1]?.score ?? null,
    vectorScore: vectorHits[(fused.ranks.vector ?? 0) - 1]?.score ?? null,
    rerankScore: null
  }))

const channelOrder: ReadonlyArray<Channel> = ["fts", "vector"]
