import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EvidenceSource, type Question } from "./answering/index.js"
import { DocumentStore, type Passage } from "./documents/index.js"
import { detectEntities, EntityStore, isRetired, type StoredEntity } from "./entities/index.js"
import { ExtractionStore, GraphStore, nearbyPassages } from "./graph/index.js"
import type { DocumentId, EntityId, WorkspaceScope } from "./kernel/index.js"
import { fuse, type Retrieval, retrieve } from "./retrieval/index.js"
import { WorkspaceStore } from "./workspace/index.js"

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

/** Evidence from full text, vectors, entities and the graph. */
export const evidenceSource = Layer.effect(
  EvidenceSource,
  Effect.gen(function* () {
    const context = yield* Effect.context<Effect.Effect.Context<ReturnType<typeof gather>>>()
    return {
      gather: (workspace, question) => Effect.provide(gather(workspace, question), context)
    }
  })
)

const gather = (workspace: WorkspaceScope, question: Question) =>
  Effect.gen(function* () {
    const found = yield* retrieve(workspace, { query: question.text, limit: poolSize, rerank: true })
    const entities = yield* entitiesIn(workspace, question.text)
    const nearby = yield* nearbyPassages(workspace, yield* seedsOf(workspace, entities), nearbyMax)
    const about = yield* documentsAbout(workspace, entities)
    const named = (yield* firstPassages(workspace, about, namedPassagesMax)).slice(0, namedPassagesMax)
    const best = yield* firstPassages(workspace, bestDocuments(found), leadPassages)
    const fused = fuse([
      { name: "found", ids: found.passages.map(({ passage }) => passage.label) },
      { name: "named", ids: named.map(({ label }) => label) },
      { name: "nearby", ids: nearby.map(({ label }) => label), weight: nearbyWeight },
      { name: "leads", ids: best.map(({ label }) => label), weight: nearbyWeight }
    ])
    const passages = yield* passagesOf(
      workspace,
      fused.map(({ id }) => id)
    )
    return {
      sources: fused.flatMap(({ id, score }) => {
        const passage = passages.get(id)
        return passage === undefined ? [] : [{ passage, score }]
      }),
      entities: entities.map(({ id, name, pagerank, type }) => ({ id, name, type, pagerank: pagerank ?? 0 })),
      termWeights: found.termWeights
    }
  })

/** Known entities in a text, in its order. */
const entitiesIn = (workspace: WorkspaceScope, text: string) =>
  Effect.gen(function* () {
    const ids = [...new Set((yield* detectEntities(workspace, text)).flatMap(({ entityIds }) => entityIds))]
    const stored = new Map((yield* (yield* EntityStore).findMany(workspace, ids)).map((one) => [one.id, one]))
    return ids.flatMap((id) => stored.get(id) ?? [])
  })

/** Rare entities say more about what is asked than those that are mentioned everywhere; those out of use say less. */
const seedsOf = (workspace: WorkspaceScope, entities: ReadonlyArray<StoredEntity>) =>
  Effect.gen(function* () {
    const totals = new Map<EntityId, number>(entities.map(({ id }) => [id, 0]))
    const counts = yield* (yield* GraphStore).mentionCounts(workspace, [...totals.keys()])
    for (const { count, entityId } of counts) totals.set(entityId, (totals.get(entityId) ?? 0) + count)
    const { settings } = yield* (yield* WorkspaceStore).get(workspace)
    const { retiredConcept } = settings.retrieval.governance
    const retired = new Set(entities.filter(isRetired).map(({ id }) => id))
    return new Map(
      [...totals].map(([id, count]) => [id, (retired.has(id) ? retiredConcept : 1) / Math.max(count, 1)])
    )
  })

/** The documents that are about the entities. */
const documentsAbout = (workspace: WorkspaceScope, entities: ReadonlyArray<StoredEntity>) =>
  Effect.gen(function* () {
    const keys = entities.flatMap(({ claim }) => (claim === null ? [] : [claim.key]))
    if (keys.length === 0) return []
    const claimants = yield* (yield* ExtractionStore).claimants(workspace, keys)
    return [
      ...new Set(claimants.filter(({ role }) => role === "self").map(({ documentId }) => documentId))
    ].slice(0, namedDocumentsMax)
  })

const bestDocuments = ({ passages }: Retrieval): ReadonlyArray<DocumentId> =>
  [...new Set(passages.map(({ passage }) => passage.documentId))].slice(0, bestDocumentsMax)

const firstPassages = (workspace: WorkspaceScope, documents: ReadonlyArray<DocumentId>, each: number) =>
  Effect.gen(function* () {
    const store = yield* DocumentStore
    const chunks = yield* Effect.forEach(documents, (id) => store.chunks(workspace, id))
    return chunks.flatMap((all) => all.slice(0, each))
  })

const passagesOf = (workspace: WorkspaceScope, labels: ReadonlyArray<number>) =>
  Effect.map(
    Effect.flatMap(DocumentStore, (store) => store.passages(workspace, labels)),
    (passages): ReadonlyMap<number, Passage> => new Map(passages.map((passage) => [passage.label, passage]))
  )
