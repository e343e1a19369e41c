import * as Effect from "effect/Effect"
import { StampedRows } from "../caching/index.js"
import { type DocumentFilter, DocumentStore, type Passage } from "../documents/index.js"
import { Detectors, isRetired, type StoredEntity } from "../entities/index.js"
import { documentsAbout } from "../extraction/index.js"
import { GraphStore, nearbyPassages } from "../graph/index.js"
import { type DocumentId, type EntityId, serviceLayer, type WorkspaceScope } from "../kernel/index.js"
import {
  allowedLabels,
  type Fused,
  fuse,
  isNarrow,
  type Retrieval,
  retrieve,
  SearchCache
} from "../retrieval/index.js"
import { AnswerTexts, otherForms, type Question, rephrased } from "../text-analysis/index.js"
import { analyse } from "../tokenization/index.js"
import type { Settings } from "../workspace/index.js"
import { amendmentsTo } from "./amendments.js"
import type { Candidate as AnswerCandidate } from "./candidate.js"
import { disambiguate, readNames } from "./disambiguate.js"
import { EvidenceSource } from "./evidence-source.js"
import { unknownTerms } from "./unknown-terms.js"

/** Passages from which answering picks. */
const poolSize = 50
/** Passages that the graph may add, and what its opinion counts beside that of words and vectors. */
const nearbyMax = 30
const nearbyWeight = 0.5
/** Documents whose first passages, where definitions and summaries stand, join the pool. */
const bestDocumentsMax = 5
const leadPassages = 2
/** Of documents that the question names, every passage is a candidate: these many documents and passages. */
const namedDocumentsMax = 3
const namedPassagesMax = 60

/** Where the passages of documents begin is remembered of some thousands of them. */
const firstLabelsBytes = 2 * 1024 * 1024

/** Evidence from full text, vectors, entities and the graph. */
export const evidenceSource = serviceLayer(
  EvidenceSource,
  Effect.gen(function* () {
    const context = yield* Effect.context<Effect.Effect.Context<ReturnType<typeof gather>>>()
    const leads: Leads = new StampedRows(firstLabelsBytes, (labels) => labels.length * 8)
    return {
      gather: (workspace, question, asked) =>
        Effect.provide(gather(workspace, question, { ...asked, leads }), context)
    }
  })
)

/** The labels of the first passages of documents, by document. */
type Leads = StampedRows<DocumentId, ReadonlyArray<number>>

interface Asked {
  readonly gated: boolean
  readonly settings: Settings
  readonly stamp: string | null
  readonly leads: Leads
  readonly filter?: DocumentFilter
}

const gather = (
  workspace: WorkspaceScope,
  asked: Question,
  { filter = {}, gated, leads, settings, stamp }: Asked
) =>
  Effect.gen(function* () {
    const query = [asked.text, otherForms(asked)].join(" ").trim()
    const allowed = isNarrow(filter) ? yield* allowedLabels(workspace, filter) : null
    const found = yield* retrieve(workspace, { query, limit: poolSize, rerank: true, stamp, filter })
    const texts = yield* AnswerTexts
    const hits = found.passages.map(({ passage }) => passage)
    const question = rephrased(asked, hits, texts, analyse)
    const seen = { stamp: found.stamp, detector: yield* (yield* Detectors).of(workspace) }
    const names = yield* readNames(workspace, seen.detector, question.text)
    const { ambiguous, entities } = yield* disambiguate(workspace, question.text, names)
    const nearby = yield* nearbyPassages(workspace, yield* seedsOf(workspace, entities, settings), nearbyMax)
    const keys = entities.flatMap(({ claim }) => (claim === null ? [] : [claim.key]))
    const about = (yield* documentsAbout(workspace, keys)).slice(0, namedDocumentsMax)
    const named = (yield* firstLabels(workspace, about, namedPassagesMax)).slice(0, namedPassagesMax)
    const best = yield* leadsOf(workspace, bestDocuments(found), found.stamp, leads)
    const fused = fuse<Lists, number>([
      { name: "found", ids: found.passages.map(({ passage }) => passage.label) },
      { name: "named", ids: named },
      { name: "nearby", ids: nearby.map(({ label }) => label), weight: nearbyWeight },
      { name: "leads", ids: best, weight: nearbyWeight }
    ])
    const within = allowed === null ? fused : fused.filter(({ id }) => allowed.has(id))
    const passages = yield* passagesOf(
      workspace,
      within.map(({ id }) => id),
      found
    )
    const sources = within.flatMap(({ id, score }) => {
      const passage = passages.get(id)
      return passage === undefined ? [] : [{ passage, score }]
    })
    const taken = new Set(sources.map(({ passage }) => passage.label))
    const amending = (yield* amendmentsTo(workspace, found, texts)).filter(({ label }) => !taken.has(label))
    return {
      question,
      sources: [...sources, ...amending.map((passage) => ({ passage, score: 0 }))],
      entities: entities.map(({ id, name, pagerank, type }) => ({ id, name, type, pagerank: pagerank ?? 0 })),
      termWeights: found.termWeights,
      candidates: candidatesOf(within, passages, found),
      ambiguous,
      unknownTerms: gated ? yield* unknownTerms(workspace, question, sources, seen) : [],
      seen
    }
  })

type Lists = "found" | "named" | "nearby" | "leads"

/** How the passages came up, those with the best score first. */
const candidatesOf = (
  fused: ReadonlyArray<Fused<Lists, number>>,
  passages: ReadonlyMap<number, Passage>,
  { passages: hits }: Retrieval
): ReadonlyArray<AnswerCandidate> => {
  const hitOf = new Map(hits.map((hit) => [hit.passage.label, hit]))
  return fused.flatMap(({ id, ranks, score }) => {
    const [passage, hit] = [passages.get(id), hitOf.get(id)]
    if (passage === undefined) return []
    return [
      {
        chunkId: passage.id,
        docId: passage.documentId,
        docPath: passage.docPath,
        headingPath: passage.headingPath.join(" > "),
        ranks: {
          fts: hit?.ranks.fts ?? null,
          vector: hit?.ranks.vector ?? null,
          named: ranks.named ?? null,
          graph: ranks.nearby ?? null,
          lead: ranks.leads ?? null
        },
        lexicalScore: hit?.lexicalScore ?? null,
        vectorScore: hit?.vectorScore ?? null,
        rerankScore: hit?.rerankScore ?? null,
        fusedScore: hit?.fusedScore ?? null,
        governance: hit === undefined || hit.fusedScore === 0 ? null : hit.score / hit.fusedScore,
        score
      }
    ]
  })
}

/** Rare entities say more about what is asked than those that are mentioned everywhere; those out of use say less. */
const seedsOf = (
  workspace: WorkspaceScope,
  entities: ReadonlyArray<StoredEntity>,
  { retrieval: { governance } }: Settings
) =>
  Effect.gen(function* () {
    if (entities.length === 0) return new Map<EntityId, number>()
    const totals = new Map<EntityId, number>(entities.map(({ id }) => [id, 0]))
    const counts = yield* (yield* GraphStore).mentionCounts(workspace, [...totals.keys()])
    for (const { count, entityId } of counts) totals.set(entityId, (totals.get(entityId) ?? 0) + count)
    const { retiredConcept } = governance
    const retired = new Set(entities.filter(isRetired).map(({ id }) => id))
    return new Map(
      [...totals].map(([id, count]) => [id, (retired.has(id) ? retiredConcept : 1) / Math.max(count, 1)])
    )
  })

const bestDocuments = ({ passages }: Retrieval): ReadonlyArray<DocumentId> =>
  [...new Set(passages.map(({ passage }) => passage.documentId))].slice(0, bestDocumentsMax)

/** The labels of the first passages of each, document by document. */
const firstLabels = (workspace: WorkspaceScope, documents: ReadonlyArray<DocumentId>, each: number) =>
  Effect.map(readFirstLabels(workspace, documents, each), (firsts) =>
    documents.flatMap((id) => firsts.get(id) ?? [])
  )

/** The same of the documents that lead, of which a question after another asks. */
const leadsOf = (
  workspace: WorkspaceScope,
  documents: ReadonlyArray<DocumentId>,
  stamp: string | null,
  leads: Leads
) =>
  Effect.map(
    leads.of(workspace, stamp, documents, (missing) => readFirstLabels(workspace, missing, leadPassages)),
    (firsts) => documents.flatMap((id) => firsts.get(id) ?? [])
  )

const readFirstLabels = (workspace: WorkspaceScope, documents: ReadonlyArray<DocumentId>, each: number) =>
  Effect.flatMap(DocumentStore, (store) =>
    Effect.map(store.firstLabels(workspace, documents, each), (rows) => {
      const firsts = new Map<DocumentId, Array<number>>(documents.map((id) => [id, []]))
      for (const { documentId, label } of rows) firsts.get(documentId)?.push(label)
      return firsts
    })
  )

/** The passages with these labels; those that the search read are not read again. */
const passagesOf = (
  workspace: WorkspaceScope,
  labels: ReadonlyArray<number>,
  { passages: hits, stamp }: Retrieval
) =>
  Effect.gen(function* () {
    const known = new Map(hits.map(({ passage }) => [passage.label, passage]))
    const missing = labels.filter((label) => !known.has(label))
    for (const [label, passage] of yield* (yield* SearchCache).passages(workspace, stamp, missing))
      known.set(label, passage)
    return known
  })
