import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { announce } from "../../platform/jobs/index.js"
import {
  atomically,
  Caller,
  crashPoint,
  currentView,
  type EntityId,
  InvalidTransition,
  invalid,
  nameNorm,
  now,
  ReviewerRequired,
  traced
} from "../../platform/kernel/index.js"
import {
  allAliases,
  type Command,
  commitEntities,
  decide,
  EntityStore,
  entitiesChanged,
  headOf,
  mayReview,
  membersOf,
  refuseOthers,
  type StoredEntity,
  toCuration,
  toEntity
} from "../entities/index.js"
import { sourceRefsOf } from "./evidence.js"
import type { MergeResult } from "./model.js"
import { GraphStore } from "./store.js"

/**
 * Merges an entity into another: its mentions, relations and names count for the target from now on, and its id
 * resolves to the target. Nothing is copied, so restoring the entity takes back exactly what it brought. Merged ids
 * resolve to their heads, which prevents cycles.
 */
export const mergeEntities = traced("graph.merge")(function* (
  id: EntityId,
  intoId: EntityId,
  options: { readonly note?: string | undefined; readonly dryRun?: boolean } = {}
) {
  const [store, graph, { workspace }] = [yield* EntityStore, yield* GraphStore, yield* Caller]
  const { dryRun = false } = options
  // What a caller with a view learns of the merge is what it sees; the unit of work moves everything.
  const seen =
    (yield* currentView) === null
      ? null
      : yield* Effect.flatMap(headOf(id), (merged) =>
          Effect.flatMap(membersOf(merged.id), (members) => weigh([merged.id], [merged, ...members]))
        )
  return yield* atomically(
    Effect.gen(function* () {
      const [merged, head] = [yield* headOf(id), yield* headOf(intoId)]
      if (merged.id === head.id)
        return yield* invalid(["intoId"], "self_merge", "Both are one entity already.")
      const caller = yield* Caller
      if (!mayReview(merged, caller) || !mayReview(head, caller)) return yield* new ReviewerRequired({})
      if (head.lifecycle === "deprecated" || head.lifecycle === "superseded") {
        return yield* new InvalidTransition({ from: head.lifecycle, to: "a merge into it" })
      }
      const mergedEntities = [merged, ...(yield* membersOf(merged.id))]
      const before = yield* weigh([merged.id, head.id], mergedEntities)
      const names = toEntity(head, yield* membersOf(head.id))
      const known = new Set([names.name, ...names.aliases].map(nameNorm))
      const aliasesAdded = [
        ...new Map(
          mergedEntities
            .flatMap((one) => [one.name, ...allAliases(one)])
            .map((name) => [nameNorm(name), name] as const)
        )
      ].flatMap(([norm, name]) => (known.has(norm) ? [] : [name]))
      const after = yield* apply(head, { _tag: "Absorb", merged: merged.id })
      const unchanged = toCuration(head, yield* sourceRefsOf(head), caller)
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
      yield* moveHeads(mergedEntities, head.id)
      yield* announce(entitiesChanged, {})
      const { edges } = yield* weigh([head.id], mergedEntities)
      const result: MergeResult = {
        canonicalId: head.id,
        mergedId: merged.id,
        movedMentions: (seen ?? before).mentions,
        movedRelations: (seen ?? before).relations,
        droppedDuplicateEdges: seen === null ? Math.max(0, before.edges - edges) : 0,
        aliasesAdded,
        curation: dryRun ? unchanged : toCuration(after, yield* sourceRefsOf(after), caller)
      }
      // A dry run performs the merge and rolls it back.
      return dryRun ? yield* new Tried({ result }) : result
    })
  ).pipe(
    Effect.zipLeft(crashPoint("entity.merge.afterTransaction")),
    Effect.catchTag("Tried", ({ result }) => Effect.succeed(result))
  )

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

/** Rolls back a dry run. */
class Tried extends Data.TaggedError("Tried")<{ readonly result: MergeResult }> {}

const apply = (entity: StoredEntity, command: Command) => decide(entity, command)

/** Soft-deletes an entity (a merged id means its head) and hides its mentions and edges. */
export const deleteEntity = traced("graph.deleteEntity")(function* (id: EntityId) {
  const [graph, { workspace }, at] = [yield* GraphStore, yield* Caller, yield* now]
  return yield* atomically(
    Effect.gen(function* () {
      const before = yield* headOf(id)
      yield* refuseOthers(before)
      const after = yield* decide(before, { _tag: "Delete", at }).pipe(Effect.orDie)
      yield* commitEntities([{ before, after, changeKind: "delete", note: null }])
      yield* crashPoint("entity.remove.insideTransaction")
      const leavingEntities = [before, ...(yield* membersOf(before.id))]
      yield* graph.rehead(
        workspace,
        leavingEntities.map((one) => ({ id: one.id, head: null }))
      )
      yield* announce(entitiesChanged, {})
      return { deleted: true, id: before.id }
    })
  ).pipe(Effect.zipLeft(crashPoint("entity.remove.afterTransaction")))
})
