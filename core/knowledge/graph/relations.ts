import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DocumentStore } from "../../files/documents/index.js"
import { record } from "../../platform/audit/index.js"
import { announce } from "../../platform/jobs/index.js"
import {
  atomically,
  Caller,
  Conflict,
  crashPoint,
  type DocumentId,
  type EntityId,
  groupBy,
  Ids,
  NotFound,
  now,
  type PageRequest,
  type RelationId,
  traced
} from "../../platform/kernel/index.js"
import {
  claimKey,
  EntityStore,
  entitiesChanged,
  headOf,
  type StoredEntity,
  sharedKey
} from "../entities/index.js"
import { namesOf } from "./evidence.js"
import type { Evidence, MentionItem, Relation, RelationItem } from "./model.js"
import { GraphStore, type RelationFilter } from "./store.js"

const evidenceMax = 10

/** Creates a relation by hand. Merged ends resolve to their heads. Conflict when an equal edge exists. */
export const createRelation = traced("graph.createRelation")(function* (input: {
  readonly srcEntityId: EntityId
  readonly dstEntityId: EntityId
  readonly type: string
  readonly evidence?: string | undefined
}) {
  const [graph, { workspace }, ids, at] = [yield* GraphStore, yield* Caller, yield* Ids, yield* now]
  return yield* atomically(
    Effect.gen(function* () {
      const [src, dst] = [yield* headOf(input.srcEntityId), yield* headOf(input.dstEntityId)]
      const known = Option.getOrNull(yield* graph.relationBetween(workspace, src.id, input.type, dst.id))
      const isTaken =
        (known !== null && known.deletedAt === null) ||
        Option.isSome(yield* graph.relationAlong(workspace, src.id, input.type, dst.id))
      // The contract names the holder only where a name or a path is taken.
      if (isTaken) return yield* new Conflict({ message: equalRelationExists })
      const relation: Relation = {
        id: known?.id ?? ids.make("relation"),
        srcId: src.id,
        type: input.type,
        dstId: dst.id,
        origin: "manual",
        note: input.evidence ?? null,
        srcHead: src.id,
        dstHead: dst.id,
        evidenceCount: known?.evidenceCount ?? 0,
        deletedAt: null,
        createdAt: known?.createdAt ?? at
      }
      yield* graph.saveRelation(workspace, relation)
      yield* crashPoint("relation.write.insideTransaction")
      yield* record([
        {
          action: "relation.create",
          subjectId: relation.id,
          details: { src: src.id, type: input.type, dst: dst.id }
        }
      ])
      yield* resolveNamesAndRanks([src, dst])
      return { relationId: relation.id, affectedCanonicalIds: [...new Set([src.id, dst.id])] }
    })
  ).pipe(Effect.zipLeft(crashPoint("relation.write.afterTransaction")))
})

const equalRelationExists = "An equal relation already exists."

/** Fails when a live relation makes the same edge as one that leaves the trash, and names it. */
export const refuseEqualEdge = (src: EntityId, type: string, dst: EntityId) =>
  Effect.gen(function* () {
    const [graph, { workspace }] = [yield* GraphStore, yield* Caller]
    const equal = yield* graph.relationAlong(workspace, src, type, dst)
    if (Option.isSome(equal)) {
      return yield* new Conflict({ message: equalRelationExists, existingId: equal.value.id })
    }
  })

/** Soft-deletes a relation; document evidence for it no longer makes an edge. */
export const deleteRelation = traced("graph.deleteRelation")(function* (id: RelationId) {
  const [graph, entities, { workspace }, at] = [
    yield* GraphStore,
    yield* EntityStore,
    yield* Caller,
    yield* now
  ]
  return yield* atomically(
    Effect.gen(function* () {
      const relation = Option.getOrNull(yield* graph.findRelation(workspace, id))
      if (
        relation === null ||
        relation.deletedAt !== null ||
        relation.srcHead === null ||
        relation.dstHead === null
      ) {
        return yield* new NotFound({ what: "relation" })
      }
      yield* graph.saveRelation(workspace, { ...relation, deletedAt: at })
      yield* crashPoint("relation.remove.insideTransaction")
      yield* record([{ action: "relation.delete", subjectId: id, details: { type: relation.type } }])
      yield* resolveNamesAndRanks(yield* entities.findMany(workspace, [relation.srcId, relation.dstId]))
      return { deleted: true, id }
    })
  ).pipe(Effect.zipLeft(crashPoint("relation.remove.afterTransaction")))
})

/**
 * Marks the names of these entities as unresolved, because an extracted entity may depend on the statement alone, and
 * requests new ranks.
 */
export const resolveNamesAndRanks = (ends: ReadonlyArray<StoredEntity>) =>
  Effect.zipRight(markNamesUnresolved(ends), announce(entitiesChanged, {}))

/** Marks the names of these entities as unresolved for the next extraction. */
export const markNamesUnresolved = (ends: ReadonlyArray<StoredEntity>) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    yield* (yield* GraphStore).unresolved.add(
      workspace,
      ends.map(({ claim, name }) => (claim === null ? claimKey(name) : sharedKey(claim.key)))
    )
  })

/** Lists live relations in id order, each with its supporting passages. */
export const listRelations = traced("graph.listRelations")(function* (
  filter: RelationFilter,
  page: PageRequest
) {
  const [graph, entities, { workspace }] = [yield* GraphStore, yield* EntityStore, yield* Caller]
  const head = filter.entityId === undefined ? undefined : (yield* headOf(filter.entityId)).id
  const { items, total } = yield* graph.relations(workspace, { ...filter, entityId: head }, page)
  const names = new Map(
    (yield* entities.findMany(
      workspace,
      items.flatMap(({ dstHead, srcHead }) => [srcHead ?? [], dstHead ?? []].flat())
    )).map((one) => [one.id, one.name])
  )
  const evidence = yield* evidenceOf(items)
  return {
    items: items.flatMap((relation): ReadonlyArray<RelationItem> => {
      const { dstHead, srcHead } = relation
      if (srcHead === null || dstHead === null) return []
      return [
        {
          id: relation.id,
          srcEntityId: srcHead,
          srcName: names.get(srcHead) ?? "",
          type: relation.type,
          dstEntityId: dstHead,
          dstName: names.get(dstHead) ?? "",
          origin: relation.origin,
          evidence: [...(evidence.get(relation.id) ?? [])],
          mentionCount: relation.evidenceCount + (relation.origin === "extraction" ? 0 : 1)
        }
      ]
    }),
    total
  }
})

const evidenceOf = (relations: ReadonlyArray<Relation>) =>
  Effect.gen(function* () {
    const [graph, documents, { workspace }] = [yield* GraphStore, yield* DocumentStore, yield* Caller]
    const found = yield* graph.evidence(
      workspace,
      relations.map(({ id }) => id),
      evidenceMax
    )
    const labels = [...new Set(found.flatMap(({ label }) => label ?? []))]
    const chunkIds = new Map(
      (yield* documents.passages(workspace, labels)).map(({ id, label }) => [label, id])
    )
    const byRelation = groupBy(found, ({ relationId }) => relationId)
    return new Map(
      relations.map(({ id, note }) => {
        const places = (byRelation.get(id) ?? []).map(
          ({ documentId, label, quote }): Evidence => ({
            docId: documentId,
            chunkId: label === null ? null : (chunkIds.get(label) ?? null),
            quote
          })
        )
        const stated: ReadonlyArray<Evidence> =
          note === null ? [] : [{ docId: null, chunkId: null, quote: note }]
        return [id, [...stated, ...places]] as const
      })
    )
  })

/** Lists the mentions of an entity or in a document. A merged id means its head. */
export const listMentions = traced("graph.listMentions")(function* (
  filter: { readonly entityId?: EntityId | undefined; readonly documentId?: DocumentId | undefined },
  page: PageRequest
) {
  const [graph, entities, documents, { workspace }] = [
    yield* GraphStore,
    yield* EntityStore,
    yield* DocumentStore,
    yield* Caller
  ]
  if (filter.documentId !== undefined) {
    const document = Option.getOrNull(yield* documents.find(workspace, filter.documentId))
    if (document === null || document.deletedAt !== null) return yield* new NotFound({ what: "document" })
  }
  const entityIds =
    filter.entityId === undefined ? undefined : yield* namesOf((yield* headOf(filter.entityId)).id)
  const { documentId } = filter
  const { items, total } = yield* graph.mentions(workspace, { entityIds, documentId }, page)
  const passages = new Map(
    (yield* documents.passages(workspace, [...new Set(items.map(({ label }) => label))])).map((one) => [
      one.label,
      one
    ])
  )
  const named = new Map(
    (yield* entities.findMany(
      workspace,
      items.map(({ entityId }) => entityId)
    )).map((one) => [one.id, one])
  )
  const heads = new Map(
    (yield* entities.findMany(
      workspace,
      [...named.values()].map(({ headId }) => headId)
    )).map((one) => [one.id, one])
  )
  return {
    items: items.flatMap((mention): ReadonlyArray<MentionItem> => {
      const passage = passages.get(mention.label)
      const head = heads.get(named.get(mention.entityId)?.headId ?? mention.entityId)
      // The next extraction deletes mentions of removed entities; until then they are hidden.
      if (passage === undefined || head === undefined || head.deletedAt !== null) return []
      return [
        {
          entityId: head.id,
          name: head.name,
          docId: mention.documentId,
          docPath: passage.docPath,
          chunkId: passage.id,
          quote: passage.text.slice(mention.start, mention.end),
          runId: mention.runId,
          confidence: mention.confidence,
          docVerification: passage.docVerification
        }
      ]
    }),
    total
  }
})
