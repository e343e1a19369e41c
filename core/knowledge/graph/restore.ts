import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { record } from "../../platform/audit/index.js"
import { announce } from "../../platform/jobs/index.js"
import {
  atomically,
  Caller,
  Conflict,
  type EntityId,
  NotFound,
  type RelationId,
  traced
} from "../../platform/kernel/index.js"
import {
  commitEntities,
  decide,
  type EntityChange,
  EntityStore,
  entitiesChanged,
  isCanonical,
  refuseTakenName,
  type StoredEntity
} from "../entities/index.js"
import { refuseEqualEdge, resolveNamesAndRanks } from "./relations.js"
import { GraphStore } from "./store.js"

/**
 * Restores a deleted entity from the trash, or splits a merged one out of its head with everything it brought, even
 * when the head was deleted or merged further. Conflict when a live entity has its name. Only here does a merged id
 * mean the merged entity itself. Returns which kind of restore it was.
 */
export const restoreEntity = traced("graph.restoreEntity")(function* (id: EntityId) {
  const [store, { workspace }] = [yield* EntityStore, yield* Caller]
  return yield* atomically(
    Effect.gen(function* () {
      const before = Option.getOrNull(yield* store.find(workspace, id))
      // Entities retired by extraction are not in the trash, because extraction would retire them again.
      if (before === null || isCanonical(before) || before.retired)
        return yield* new NotFound({ what: "trash entry" })
      yield* restoreOne(before)
      yield* announce(entitiesChanged, {})
      return before.deletedAt === null ? "merged_entity" : "entity"
    })
  )
})

/**
 * Restores a relation from the trash. Conflict when an end is deleted, when a live relation makes the same edge, or
 * when only documents stated it and none does any more. An end that extraction retired is restored with it.
 */
export const restoreRelation = traced("graph.restoreRelation")(function* (id: RelationId) {
  const [graph, entities, { workspace }] = [yield* GraphStore, yield* EntityStore, yield* Caller]
  return yield* atomically(
    Effect.gen(function* () {
      const relation = Option.getOrNull(yield* graph.findRelation(workspace, id))
      if (relation === null || relation.deletedAt === null)
        return yield* new NotFound({ what: "trash entry" })
      const [srcHead, dstHead] = [yield* liveHead(relation.srcId), yield* liveHead(relation.dstId)]
      yield* refuseEqualEdge(srcHead, relation.type, dstHead)
      if (relation.origin === "extraction" && relation.evidenceCount === 0)
        return yield* new Conflict({ message: "No document states the relation any more." })
      yield* graph.saveRelation(workspace, { ...relation, srcHead, dstHead, deletedAt: null })
      yield* record([{ action: "relation.restore", subjectId: id, details: { type: relation.type } }])
      yield* resolveNamesAndRanks(yield* entities.findMany(workspace, [relation.srcId, relation.dstId]))
    })
  )
})

/** Returns the head of a relation's end, and restores it if extraction had retired it. */
const liveHead = (id: EntityId) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* EntityStore, yield* Caller]
    const end = Option.getOrNull(yield* store.find(workspace, id))
    const head = end === null ? null : Option.getOrNull(yield* store.find(workspace, end.headId))
    if (end === null || head === null) return yield* new NotFound({ what: "trash entry" })
    if (head.deletedAt === null) return head.id
    if (!head.retired)
      return yield* new Conflict({ message: "An end of the relation is deleted.", existingId: head.id })
    yield* restoreOne(head)
    return head.id
  })

/** Undoes the deletion of an entity, or its merge into another one. */
const restoreOne = (before: StoredEntity) =>
  Effect.gen(function* () {
    const [store, graph, { workspace }] = [yield* EntityStore, yield* GraphStore, yield* Caller]
    const after = yield* decide(before, { _tag: "Restore" }).pipe(Effect.orDie)
    if (isCanonical(after)) yield* refuseTakenName(after)
    const changes: Array<EntityChange> = [{ before, after, changeKind: "restore", note: null }]
    const parent =
      before.deletedAt === null && before.mergedInto !== null
        ? yield* store.find(workspace, before.mergedInto)
        : Option.none()
    if (Option.isSome(parent)) {
      const released = yield* decide(parent.value, { _tag: "Release", merged: before.id }).pipe(Effect.orDie)
      changes.push({ before: parent.value, after: released, changeKind: "restore", note: null })
    }
    yield* commitEntities(changes)
    const back = yield* subtree(before.id)
    const head = after.mergedInto === null ? before.id : before.headId
    if (after.mergedInto === null) yield* store.setHead(workspace, back, before.id)
    const isLive = Option.getOrNull(yield* store.find(workspace, head))?.deletedAt === null
    yield* graph.rehead(
      workspace,
      back.map((one) => ({ id: one, head: isLive ? head : null }))
    )
  })

/** Returns an entity and all entities merged into it, directly or indirectly. */
const subtree = (id: EntityId) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* EntityStore, yield* Caller]
    const found: Array<EntityId> = []
    let level: ReadonlyArray<EntityId> = [id]
    while (level.length > 0) {
      found.push(...level)
      level = (yield* store.findMany(workspace, level))
        .flatMap(({ mergedIds }) => mergedIds)
        .filter((one) => !found.includes(one))
    }
    return found
  })
