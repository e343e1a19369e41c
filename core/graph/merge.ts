import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  allAliases,
  type Command,
  commitEntities,
  decide,
  type EntityChange,
  EntityStore,
  entitiesChanged,
  headOf,
  isCanonical,
  membersOf,
  refuseTaken,
  type StoredEntity,
  toCuration,
  toEntity
} from "../entities/index.js"
import { announce } from "../jobs/index.js"
import {
  atomically,
  Caller,
  crashPoint,
  type EntityId,
  InvalidTransition,
  invalid,
  NotFound,
  nameNorm,
  now
} from "../kernel/index.js"
import { sourceRefsOf } from "./evidence.js"
import { GraphStore } from "./store.js"

/**
 * Merges an entity into another: mentions, relations and names of the first count for the second from now on,
 * and its id means the second's. Nothing is copied, so a restore of the first takes back exactly what it brought.
 * Ids of merged entities mean their heads, which also keeps cycles from being asked for.
 */
export const mergeEntities = Effect.fn("graph.merge")(function* (
  id: EntityId,
  intoId: EntityId,
  options: { readonly note?: string; readonly dryRun?: boolean } = {}
) {
  const [store, graph, { workspace }] = [yield* EntityStore, yield* GraphStore, yield* Caller]
  return yield* atomically(
    Effect.gen(function* () {
      const [merged, head] = [yield* headOf(id), yield* headOf(intoId)]
      if (merged.id === head.id)
        return yield* invalid(["intoId"], "self_merge", "Both are one entity already.")
      if (head.lifecycle === "deprecated" || head.lifecycle === "superseded") {
        return yield* new InvalidTransition({ from: head.lifecycle, to: "merge target" })
      }
      const brought = [merged, ...(yield* membersOf(merged.id))]
      const before = yield* weigh([merged.id, head.id], brought)
      const names = toEntity(head, yield* membersOf(head.id))
      const known = new Set([names.name, ...names.aliases].map(nameNorm))
      const aliasesAdded = [
        ...new Map(
          brought
            .flatMap((one) => [one.name, ...allAliases(one)])
            .map((name) => [nameNorm(name), name] as const)
        )
      ].flatMap(([norm, name]) => (known.has(norm) ? [] : [name]))
      const after = yield* apply(head, { _tag: "Absorb", merged: merged.id })
      if (options.dryRun !== true) {
        const note = options.note ?? null
        yield* commitEntities([
          {
            before: merged,
            after: yield* apply(merged, { _tag: "MergeInto", head: head.id }),
            changeKind: "merge",
            note
          },
          { before: head, after, changeKind: "merge", note }
        ])
        yield* crashPoint("entity.merge.insideTransaction")
        yield* moveHeads(brought, head.id)
        yield* announce(entitiesChanged, {})
      }
      const edges = options.dryRun === true ? before.edges : (yield* weigh([head.id], brought)).edges
      return {
        canonicalId: head.id,
        mergedId: merged.id,
        movedMentions: before.mentions,
        movedRelations: before.relations,
        droppedDuplicateEdges: Math.max(0, before.edges - edges),
        aliasesAdded,
        curation: toCuration(options.dryRun === true ? head : after, yield* sourceRefsOf(head.id))
      }
    })
  ).pipe(Effect.zipLeft(crashPoint("entity.merge.afterTransaction")))

  function weigh(heads: ReadonlyArray<EntityId>, brought: ReadonlyArray<StoredEntity>) {
    return Effect.gen(function* () {
      const counts = yield* graph.mentionCounts(
        workspace,
        brought.map((one) => one.id)
      )
      const merged = brought[0]?.id
      return {
        mentions: counts.reduce((sum, { count }) => sum + count, 0),
        relations: merged === undefined ? 0 : yield* graph.relationCount(workspace, [merged]),
        edges: yield* graph.edgeCount(workspace, heads)
      }
    })
  }

  function moveHeads(members: ReadonlyArray<StoredEntity>, head: EntityId) {
    return Effect.gen(function* () {
      const ids = members.map((one) => one.id)
      yield* store.setHead(workspace, ids, head)
      yield* graph.rehead(
        workspace,
        ids.map((one) => ({ id: one, head }))
      )
    })
  }
})

const apply = (entity: StoredEntity, command: Command) => decide(entity, command)

/** Deletes an entity (a merged id means its head) softly: it, its mentions and its edges are no longer shown. */
export const deleteEntity = Effect.fn("graph.deleteEntity")(function* (id: EntityId) {
  const [graph, { workspace }, at] = [yield* GraphStore, yield* Caller, yield* now]
  return yield* atomically(
    Effect.gen(function* () {
      const before = yield* headOf(id)
      const after = yield* decide(before, { _tag: "Delete", at }).pipe(Effect.orDie)
      yield* commitEntities([{ before, after, changeKind: "delete", note: null }])
      yield* crashPoint("entity.remove.insideTransaction")
      const gone = [before, ...(yield* membersOf(before.id))]
      yield* graph.rehead(
        workspace,
        gone.map((one) => ({ id: one.id, head: null }))
      )
      yield* announce(entitiesChanged, {})
      return { deleted: true, id: before.id }
    })
  ).pipe(Effect.zipLeft(crashPoint("entity.remove.afterTransaction")))
})

/**
 * Brings an entity back from the trash, or splits a merged one out of its head with everything it brought.
 * Conflict when a live entity has its name by now. The one place where a merged id means itself.
 */
export const restoreEntity = Effect.fn("graph.restoreEntity")(function* (id: EntityId) {
  const [store, graph, { workspace }] = [yield* EntityStore, yield* GraphStore, yield* Caller]
  return yield* atomically(
    Effect.gen(function* () {
      const before = Option.getOrNull(yield* store.find(workspace, id))
      if (before === null || isCanonical(before)) return yield* new NotFound({ what: "trash entry" })
      const after = yield* decide(before, { _tag: "Restore" }).pipe(Effect.orDie)
      if (isCanonical(after)) yield* refuseTaken(after)
      const changes: Array<EntityChange> = [{ before, after, changeKind: "restore", note: null }]
      const parent =
        before.deletedAt === null && before.mergedInto !== null
          ? yield* store.find(workspace, before.mergedInto)
          : Option.none()
      if (Option.isSome(parent)) {
        const released = yield* decide(parent.value, { _tag: "Release", merged: id }).pipe(Effect.orDie)
        changes.push({ before: parent.value, after: released, changeKind: "restore", note: null })
      }
      yield* commitEntities(changes)
      const head = after.mergedInto === null ? id : before.headId
      const back = yield* subtree(id)
      if (after.mergedInto === null) yield* store.setHead(workspace, back, id)
      const live = Option.getOrNull(yield* store.find(workspace, head))?.deletedAt === null
      yield* graph.rehead(
        workspace,
        back.map((one) => ({ id: one, head: live ? head : null }))
      )
      yield* announce(entitiesChanged, {})
      return {
        id,
        kind: before.deletedAt === null ? ("merged_entity" as const) : ("entity" as const),
        restored: true as const
      }
    })
  )
})

/** An entity and all that were merged into it, directly or through others. */
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
