import * as Effect from "effect/Effect"
import { Caller, type DocumentId, type EntityId, groupBy, traced } from "../../platform/kernel/index.js"
import { aliasesWith, type EntityBrief, EntityStore, headOf } from "../entities/index.js"
import type { Card, Neighborhood } from "./model.js"
import { GraphStore } from "./store.js"

export interface NeighborhoodOptions {
  /** Hops from the seed, 1 to 3. */
  readonly depth: number
  /** Maximum number of edges followed from one entity, strongest first. */
  readonly perHopCap: number
  /** Maximum number of entities, including the seed. */
  readonly totalCap: number
}

const docIdsMax = 20
const topRelationsMax = 5

/**
 * Returns the neighborhood of an entity: hop by hop the strongest edges of each entity in both directions, by mention
 * count. It contains every edge between the returned entities.
 */
export const neighborhood = traced("graph.neighborhood")(function* (
  id: EntityId,
  { depth, perHopCap, totalCap }: NeighborhoodOptions
) {
  const [graph, { workspace }] = [yield* GraphStore, yield* Caller]
  const seed = yield* headOf(id)
  const reached = new Set<EntityId>([seed.id])
  let frontier: ReadonlyArray<EntityId> = [seed.id]
  let truncated = false
  for (let hop = 0; hop < depth && frontier.length > 0; hop++) {
    const next: Array<EntityId> = []
    const strongest = new Map(
      (yield* graph.strongestEnds(workspace, frontier, perHopCap + 1)).map(({ ends, head }) => [head, ends])
    )
    for (const entity of frontier) {
      const ends = strongest.get(entity) ?? []
      if (ends.length > perHopCap) truncated = true
      for (const { id: other } of ends.slice(0, perHopCap)) {
        if (reached.has(other)) continue
        if (reached.size >= totalCap) truncated = true
        else {
          reached.add(other)
          next.push(other)
        }
      }
    }
    frontier = next
  }
  const nodes = yield* cards([...reached])
  const shown = yield* graph.edgesAmong(workspace, [...reached])
  const entity = nodes.find((card) => card.id === seed.id)
  if (entity === undefined) return yield* Effect.dieMessage("A live entity without a card.")
  return {
    entity,
    nodes: [...nodes],
    edges: shown.map(({ dst, mentionCount, src, type }) => ({ src, type, dst, mentionCount })),
    truncated
  } satisfies Neighborhood
})

/** Returns the cards of heads in the given order; missing ones are left out. */
const cards = traced("graph.cards")(function* (heads: ReadonlyArray<EntityId>) {
  const [graph, entities, { workspace }] = [yield* GraphStore, yield* EntityStore, yield* Caller]
  const members = yield* entities.briefs(workspace, heads)
  const byHead = groupBy(members, ({ headId }) => headId)
  const counts = groupBy(
    yield* graph.mentionCounts(
      workspace,
      members.map(({ id }) => id)
    ),
    ({ entityId }) => entityId
  )
  const types = new Map(
    (yield* graph.edgeTypes(workspace, heads, topRelationsMax)).map(({ entityId, types }) => [
      entityId,
      types
    ])
  )
  return heads.flatMap((id): ReadonlyArray<Card> => {
    const own = byHead.get(id) ?? []
    const head = own.find((one) => one.id === id)
    return head === undefined ? [] : [card(head, own, counts, types.get(id) ?? [])]
  })
})

type Counts = ReadonlyMap<
  EntityId,
  ReadonlyArray<{ readonly documentId: DocumentId; readonly count: number }>
>

const card = (
  head: EntityBrief,
  own: ReadonlyArray<EntityBrief>,
  counts: Counts,
  topRelations: ReadonlyArray<string>
): Card => {
  const byDocument = new Map<DocumentId, number>()
  for (const { documentId, count } of own.flatMap(({ id }) => counts.get(id) ?? [])) {
    byDocument.set(documentId, (byDocument.get(documentId) ?? 0) + count)
  }
  const documents = [...byDocument].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  const merged = own.filter(({ id }) => id !== head.id)
  return {
    id: head.id,
    name: head.name,
    type: head.type,
    aliases: [...aliasesWith(head, merged)],
    mentionCount: documents.reduce((sum, [, count]) => sum + count, 0),
    topRelations: [...topRelations],
    docIds: documents.slice(0, docIdsMax).map(([documentId]) => documentId),
    authority: head.authority,
    lifecycleStatus: head.lifecycle
  }
}
