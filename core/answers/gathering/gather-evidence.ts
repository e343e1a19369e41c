import * as Effect from "effect/Effect"
import { type DocumentFilter, DocumentStore, type Passage } from "../../files/documents/index.js"
import { Detectors, isRetired, type StoredEntity } from "../../knowledge/entities/index.js"
import { documentsAbout } from "../../knowledge/extraction/index.js"
import { GraphStore, nearbyPassages } from "../../knowledge/graph/index.js"
import { corrected, type Question } from "../../language/questions/index.js"
import { AnswerTexts, amendmentIn, type TextCache } from "../../language/text-analysis/index.js"
import { analyse, analyseForIndex } from "../../language/tokenization/index.js"
import {
  type DocumentId,
  type EntityId,
  type WorkspaceScope,
  yieldToEventLoop
} from "../../platform/kernel/index.js"
import type { Settings } from "../../platform/workspace/index.js"
import { phraseLabels } from "../../search/lexical/index.js"
import {
  allowedLabels,
  type Fused,
  fuse,
  isNarrow,
  type Retrieval,
  retrieve,
  SearchCache
} from "../../search/retrieval/index.js"
import type { Ambiguity } from "../policy/index.js"
import { datedDocuments } from "./dated-documents.js"
import { definitionAsked } from "./definitions.js"
import { disambiguate, readNames } from "./disambiguate.js"
import { EvidenceCache } from "./evidence-cache.js"
import type { Candidate, GatheredEvidence } from "./gathered-evidence.js"
import { withNamesOfPassages } from "./names-in-passages.js"
import {
  answeringRelations,
  questionInSentenceWords,
  type RelationAnswer,
  relationAnswer
} from "./relations-asked.js"
import { unknownTerms } from "./unknown-terms.js"

/** Passages from which answering picks. */
const poolSize = 50
/** Passages that the graph may add, and what its opinion counts beside that of words and vectors. */
const nearbyMax = 30
const nearbyWeight = 0.5
/** Documents whose first passages, where definitions and summaries stand, join the pool. */
const bestDocumentsMax = 5
const leadPassages = 2
/** Maximum number of documents named in the question whose passages all become candidates, and of those passages. */
const namedDocumentsMax = 3
const namedPassagesMax = 60
/** Documents whose amendments are looked for: the first ones that were found. */
const amendedDocumentsMax = 2
/** A title that more passages mention is a common word. */
const mentionsMax = 40
const amendingPassagesMax = 12

/**
 * Gathers evidence for a question from full text, vectors, entities and the graph. Never fails: a channel that is down
 * is skipped.
 */
export const gatherEvidence = Effect.fnUntraced(function* (
  workspace: WorkspaceScope,
  originalQuestion: Question,
  request: {
    /** The gate wants to know more than an answer needs; see `unknownTerms`. */
    readonly gated: boolean
    readonly settings: Settings
    /** Content stamp of the workspace when the question was asked; null when unknown. */
    readonly stamp: string | null
    /** Only passages of these documents; all when left out. */
    readonly filter?: DocumentFilter
  }
) {
  const { filter = {}, gated, settings, stamp } = request
  const [cache, texts] = [yield* EvidenceCache, yield* AnswerTexts]
  const allowed = isNarrow(filter) ? yield* allowedLabels(workspace, filter) : null
  const found = yield* retrieve(workspace, {
    query: originalQuestion.text,
    limit: poolSize,
    rerank: true,
    keepsCandidates: true,
    stamp,
    filter
  })
  const hits = found.passages.map(({ passage }) => passage)
  const yieldWhenDue = yieldToEventLoop()
  yield* yieldWhenDue
  const spelled = corrected(originalQuestion, hits, texts, analyse)
  const seen = { stamp: found.stamp, detector: yield* (yield* Detectors).of(workspace) }
  yield* yieldWhenDue
  const names = yield* readNames(workspace, seen.detector, spelled.text)
  const { ambiguous, entities } = yield* disambiguate(workspace, spelled.text, names)
  yield* yieldWhenDue
  const related = yield* relationAnswer(workspace, seen.detector, spelled.text)
  const nearby = yield* nearbyPassages(workspace, yield* seedsOf(workspace, entities, settings), nearbyMax)
  const keys = entities.flatMap(({ claim }) => (claim === null ? [] : [claim.key]))
  const about = [
    ...(yield* datedDocuments(workspace, spelled, hits)),
    ...(yield* documentsAbout(workspace, keys)).slice(0, namedDocumentsMax)
  ]
  const namedPassages = inOrder(about, yield* firstLabels(workspace, about, namedPassagesMax))
  const best = bestDocuments(found)
  const leads = yield* cache.firstLabels.of(workspace, found.stamp, best, (missing) =>
    firstLabels(workspace, missing, leadPassages)
  )
  yield* yieldWhenDue
  const fused = fuse<Lists, number>([
    { name: "found", ids: hits.map(({ label }) => label) },
    { name: "named", ids: namedPassages.slice(0, namedPassagesMax) },
    { name: "nearby", ids: nearby.map(({ label }) => label), weight: nearbyWeight },
    { name: "leads", ids: inOrder(best, leads), weight: nearbyWeight },
    { name: "stated", ids: [...new Set(related?.steps.flat().map(({ label }) => label))] }
  ])
  const isAllowed = (label: number): boolean => allowed === null || allowed.has(label)
  const within = fused.filter(({ id }) => isAllowed(id))
  const passages = yield* passagesOf(
    workspace,
    within.map(({ id }) => id),
    found
  )
  yield* yieldWhenDue
  const stated = related === null ? null : questionInSentenceWords(spelled, related, passages)
  const question = stated?.question ?? withNamesOfPassages(spelled, names, hits)
  const sources = within.flatMap(({ id, score }) => {
    const passage = passages.get(id)
    return passage === undefined ? [] : [{ passage, score }]
  })
  const sourceLabels = new Set(sources.map(({ passage }) => passage.label))
  const amending = (yield* amendmentsTo(workspace, found, texts)).filter(
    ({ label }) => isAllowed(label) && !sourceLabels.has(label)
  )
  return {
    question,
    sources: [...sources, ...amending.map((passage) => ({ passage, score: 0 }))],
    entities: entities.map(({ id, name, pagerank, type }) => ({ id, name, type, pagerank: pagerank ?? 0 })),
    termWeights: found.termWeights,
    candidates: candidatesOf(within, passages, found),
    embedded: found.embedded,
    definition: definitionAsked(spelled, names),
    relations: stated === null || related === null ? [] : yield* answeringRelations(workspace, related),
    stated: { said: stated?.said ?? [], others: related?.others ?? [] },
    ambiguous: stated === null ? ambiguous : ambiguous.filter((one) => !isMeant(one, related)),
    unknownTerms: gated ? yield* unknownTerms(workspace, question, sources, seen) : [],
    seen
  } satisfies GatheredEvidence
})

/** Whether the graph tells which of the bearers of a name the question means: the one of which it knows the answer. */
const isMeant = ({ candidates }: Ambiguity, related: RelationAnswer | null): boolean =>
  related?.steps.some((step) => step.some(({ known }) => candidates.some(({ id }) => id === known.id))) ??
  false

type Lists = "found" | "named" | "nearby" | "leads" | "stated"

/** Returns the scores of the passages, best first. */
const candidatesOf = (
  fused: ReadonlyArray<Fused<Lists, number>>,
  passages: ReadonlyMap<number, Passage>,
  { passages: hits }: Retrieval
): ReadonlyArray<Candidate> => {
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

/** The labels of the first passages of documents, by document. */
const firstLabels = (workspace: WorkspaceScope, documents: ReadonlyArray<DocumentId>, each: number) =>
  Effect.flatMap(DocumentStore, (store) =>
    Effect.map(store.firstLabels(workspace, documents, each), (rows) => {
      const firsts = new Map<DocumentId, Array<number>>(documents.map((id) => [id, []]))
      for (const { documentId, label } of rows) firsts.get(documentId)?.push(label)
      return firsts
    })
  )

const inOrder = (
  documents: ReadonlyArray<DocumentId>,
  firsts: ReadonlyMap<DocumentId, ReadonlyArray<number>>
): ReadonlyArray<number> => documents.flatMap((id) => firsts.get(id) ?? [])

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

/**
 * Passages that mention the title of a document that was found and replace words of another text: amendments, which
 * rarely share a word with the question.
 */
const amendmentsTo = (workspace: WorkspaceScope, { passages, stamp }: Retrieval, texts: TextCache) =>
  Effect.gen(function* () {
    const known = new Set(passages.map(({ passage }) => passage.label))
    const titles = new Map<string, string>(
      passages.map(({ passage }) => [passage.documentId, passage.docTitle])
    )
    const found: Array<Passage> = []
    for (const title of [...titles.values()].slice(0, amendedDocumentsMax)) {
      const words = analyseForIndex(title).filter(({ kind }) => kind === "word")
      const labels = yield* phraseLabels(workspace, words, stamp)
      const unread = labels.filter((label) => !known.has(label))
      if (labels.length > mentionsMax || unread.length === 0) continue
      const read = yield* (yield* SearchCache).passages(
        workspace,
        stamp,
        unread.slice(0, amendingPassagesMax)
      )
      for (const passage of read.values())
        if (texts.passage(passage.text).units.some((unit) => amendmentIn(unit) !== null)) found.push(passage)
    }
    return found
  })
