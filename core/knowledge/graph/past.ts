import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DocumentStore, statesAt } from "../../files/documents/index.js"
import { Caller, type DocumentId, type EntityId, pastMoment, traced } from "../../platform/kernel/index.js"
import { EntityStore, entitiesAt, headOf, membersOf, toCuration, toEntity } from "../entities/index.js"
import { sourceRefsOf } from "./evidence.js"
import type { EntityWithCuration, Neighborhood } from "./model.js"
import { type NeighborhoodOptions, neighborhood } from "./neighborhood.js"
import { GraphStore } from "./store.js"

/** Returns an entity with its curation. */
export const entityWithCuration = traced("graph.entity")(function* (id: EntityId) {
  const head = yield* headOf(id)
  const shown: EntityWithCuration = {
    ...toEntity(head, yield* membersOf(head.id)),
    curation: toCuration(head, yield* sourceRefsOf(head), yield* Caller)
  }
  return shown
})

/** Runs work over the entities as they stood at a moment. */
const overEntitiesAt = <A, E, R>(at: string, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(EntityStore, (store) => Effect.provideService(work, EntityStore, entitiesAt(store, at)))

/**
 * Returns an entity as it stood at an earlier moment; NotFound when it did not exist then. Its passages are those whose
 * documents have had the same text since.
 */
export const entityAt = traced("graph.entityAt")(function* (id: EntityId, asOf: string) {
  const at = yield* pastMoment(asOf)
  const { curation, ...entity } = yield* overEntitiesAt(at, entityWithCuration(id))
  const isUnchanged = yield* unchangedSince(
    at,
    curation.sourceRefs.map(({ docId }) => docId)
  )
  const sourceRefs = curation.sourceRefs.filter(({ docId }) => isUnchanged(docId))
  return { ...entity, curation: { ...curation, sourceRefs }, asOf } satisfies EntityWithCuration
})

/** Tells whether a document was there at a moment with the text that it has now. */
const unchangedSince = (at: string, documents: ReadonlyArray<DocumentId>) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* DocumentStore, yield* Caller]
    const states = yield* statesAt(workspace, at)
    const changed = documents.filter((id) => states.has(id))
    const present = new Map((yield* store.findMany(workspace, changed)).map((one) => [one.id, one.version]))
    return (id: DocumentId): boolean => {
      const state = states.get(id)
      return state === undefined || (state?.isLive === true && state.version === present.get(id))
    }
  })

/**
 * Returns the neighborhood of an entity at an earlier moment: the entities that existed, under their names of then, and
 * the relations that stood already. Relations that were removed since are not known any more, and mentions are counted
 * in the texts of today.
 */
export const neighborhoodAt = traced("graph.neighborhoodAt")(function* (
  id: EntityId,
  asOf: string,
  options: NeighborhoodOptions
) {
  const [graph, { workspace }, at] = [yield* GraphStore, yield* Caller, yield* pastMoment(asOf)]
  const { edges, entity, nodes, truncated } = yield* overEntitiesAt(at, neighborhood(id, options))
  const known = new Set(nodes.map((node) => node.id))
  const stood = yield* Effect.filter(edges, ({ dst, src, type }) =>
    known.has(src) && known.has(dst)
      ? Effect.map(graph.relationAlong(workspace, src, type, dst), (found) =>
          // The first relation of an edge is its oldest: ids are in the order of creation.
          Option.exists(found, ({ createdAt }) => createdAt <= at)
        )
      : Effect.succeed(false)
  )
  const reached = new Set<EntityId>([entity.id])
  for (let before = 0; before < reached.size; ) {
    before = reached.size
    for (const { dst, src } of stood)
      if (reached.has(src) || reached.has(dst)) {
        reached.add(src)
        reached.add(dst)
      }
  }
  return {
    entity,
    nodes: nodes.filter((node) => reached.has(node.id)),
    edges: stood,
    truncated,
    asOf
  } satisfies Neighborhood
})
