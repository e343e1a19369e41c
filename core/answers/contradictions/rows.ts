import * as Effect from "effect/Effect"
import { LiveDataStore, type QueryBinding } from "../../connected/livedata/index.js"
import { DocumentStore, type Passage } from "../../files/documents/index.js"
import { EntityStore } from "../../knowledge/entities/index.js"
import { readQuestion } from "../../language/questions/index.js"
import { AnswerTexts } from "../../language/text-analysis/index.js"
import { analyse, analyseQuery } from "../../language/tokenization/index.js"
import {
  atomically,
  Caller,
  type EntityId,
  forEachYielding,
  Ids,
  now,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"
import { lexicalSearch } from "../../search/lexical/index.js"
import { findConflictsInTurns } from "../conflicts/index.js"
import { type EvidenceData, idfOf, makeEvidence } from "../evidence/index.js"
import { boundData } from "../gathering/index.js"
import type { ContradictionSide, StoredContradiction } from "./model.js"
import { newContradiction, pageSide, unknownOf } from "./pairs.js"
import { ContradictionStore } from "./store.js"

/** Entities whose bound queries one comparison executes at most, and columns of each that it compares. */
const [entitiesMax, columnsMax] = [100, 20]
/** Passages with which a column of a row is compared: those that share its words best. */
const passagesPerColumn = 12
/** Open contradictions that are looked at for rows that changed. */
const knownMax = 1_000

/** How the passages that a search found are narrowed to those of documents in use. */
type InUse<R> = (passages: ReadonlyArray<Passage>) => Effect.Effect<ReadonlyArray<Passage>, never, R>

/**
 * Executes the queries that are bound to entities and compares their rows with what documents say, as the conflicts of a
 * question for each column do. A pair whose row or page says something else by now is settled. Only for callers who may
 * execute queries.
 */
export const compareRows = <R>(workspace: WorkspaceScope, inUse: InUse<R>) =>
  Effect.gen(function* () {
    const { scopes } = yield* Caller
    if (scopes !== undefined && !scopes.includes("data:run")) return
    const queries = (yield* (yield* LiveDataStore).queries.list(workspace)).filter(
      ({ archived, bindings, enabled }) => enabled && !archived && bindings.length > 0
    )
    if (queries.length === 0) return
    const { settings } = yield* (yield* WorkspaceStore).get(workspace)
    const entities = yield* entitiesOf(
      workspace,
      queries.flatMap(({ bindings }) => bindings)
    )
    const read = yield* forEachYielding(entities, (id) => boundData(workspace, queries, [id], settings))
    const data = read.flatMap((one) => one.data)
    const found = (yield* forEachYielding(data, (one) => contradictionsOf(workspace, one, inUse))).flat()
    const store = yield* ContradictionStore
    yield* atomically(
      Effect.gen(function* () {
        const keys = new Set(found.map(({ pairKey }) => pairKey))
        const open = yield* store.list(workspace, "open", { limit: knownMax, offset: 0 })
        const kept = yield* store.list(workspace, "both_true", { limit: knownMax, offset: 0 })
        const ended = [...open.items, ...kept.items].filter(
          ({ pairKey, sides }) => !keys.has(pairKey) && sides.some((side) => wasRead(side, data))
        )
        yield* store.save(workspace, [
          ...ended.map(
            (one) => ({ ...one, status: "settled", reason: "The row or the page changed." }) as const
          ),
          ...(yield* unknownOf(workspace, found))
        ])
      })
    )
  })

const wasRead = (side: ContradictionSide, data: ReadonlyArray<EvidenceData>): boolean =>
  "queryId" in side && data.some(({ about, queryId }) => queryId === side.queryId && about === side.about)

/** The entities that bindings name, and those of the types that they name. */
const entitiesOf = (workspace: WorkspaceScope, bindings: ReadonlyArray<QueryBinding>) =>
  Effect.gen(function* () {
    const store = yield* EntityStore
    const ids = new Set<EntityId>(bindings.flatMap(({ entityId }) => entityId ?? []))
    for (const type of new Set(bindings.flatMap(({ entityType }) => entityType ?? []))) {
      const { items } = yield* store.list(workspace, { limit: entitiesMax, offset: 0 }, { type })
      for (const { id } of items) ids.add(id)
    }
    return [...ids].slice(0, entitiesMax)
  })

const contradictionsOf = <R>(workspace: WorkspaceScope, data: EvidenceData, inUse: InUse<R>) =>
  Effect.gen(function* () {
    const [documents, ids, texts, at] = [yield* DocumentStore, yield* Ids, yield* AnswerTexts, yield* now]
    const { about = "", call, columns, queryId, standing = "curated" } = data
    if (call === undefined || queryId === undefined) return []
    const found = new Map<string, StoredContradiction>()
    for (const column of columns.slice(0, columnsMax)) {
      const asked = readQuestion(`What is the ${column.replace(/[_-]+/gu, " ")} of ${about}?`, analyse)
      const { hits, termWeights } = yield* lexicalSearch(workspace, analyseQuery(asked.text), {
        limit: passagesPerColumn
      })
      const passages = yield* inUse(
        yield* documents.passages(
          workspace,
          hits.map(({ label }) => label)
        )
      )
      const evidence = makeEvidence({
        question: asked,
        passages,
        data: [{ ...data, id: rowId }],
        idf: idfOf(termWeights),
        analyse,
        texts
      })
      for (const conflict of yield* findConflictsInTurns(evidence, [], { entities: [] })) {
        const row = conflict.sides.find(({ sourceId }) => sourceId === rowId)
        if (row === undefined || conflict.kind === "superseded") continue
        for (const { quote, sourceId, value } of conflict.sides) {
          const source = evidence.sources.find(({ id }) => id === sourceId)
          if (source === undefined || value === row.value) continue
          const rowSide: ContradictionSide = {
            dataCallId: call.dataCallId,
            queryId,
            queryTitle: data.queryTitle,
            about,
            quote: row.quote,
            value: row.value,
            standing,
            at: call.executedAt
          }
          const sides = [rowSide, pageSide(source.stored, quote, value)]
          const pair = newContradiction(ids, { ...conflict, kind: conflict.kind }, sides, at)
          found.set(pair.pairKey, pair)
        }
      }
    }
    return [...found.values()]
  })

const rowId = "D1"
