import * as Effect from "effect/Effect"
import { type EntityId, traced, type WorkspaceScope } from "../../platform/kernel/index.js"
import { pageRank, type RankEdge } from "./rank.js"
import { GraphStore } from "./store.js"

/** Damping of the walks: low, so that they stay near the seeds. */
const nearbyDamping = 0.5
const hopsMax = 2
const nodesMax = 500
/** Maximum number of edges followed per entity and direction, strongest first. */
const edgesMax = 25
/** Maximum number of nearest entities whose passages are read, and maximum number of mentions. */
const entitiesMax = 40
const mentionsMax = 2000

/**
 * Returns passages near some entities in the graph. Personalised PageRank starts at the weighted seeds and follows
 * live canonical edges in both directions, at most two hops and 500 entities; a passage scores the sum over the
 * entities it mentions. Best first, equal scores by label; without seeds the result is empty.
 */
export const nearbyPassages = traced("graph.nearby")(function* (
  workspace: WorkspaceScope,
  seeds: ReadonlyMap<EntityId, number>,
  limit: number
) {
  if (seeds.size === 0) return []
  const { edges, nodes } = yield* surroundings(workspace, [...seeds.keys()])
  const numbers = new Map(nodes.map((id, place) => [id, place]))
  const start = new Map([...seeds].map(([id, weight]) => [numbers.get(id) ?? 0, weight]))
  const ranks = pageRank(nodes.length, edges, { damping: nearbyDamping, seeds: start })
  const nearest = nodes
    .map((id, place) => ({ id, rank: ranks[place] ?? 0 }))
    .sort((a, b) => b.rank - a.rank)
    .slice(0, entitiesMax)
  const rankOf = new Map(nearest.map(({ id, rank }) => [id, rank]))
  const store = yield* GraphStore
  const scores = new Map<number, number>()
  for (const { entityId, label } of yield* store.mentionLabels(workspace, [...rankOf.keys()], mentionsMax))
    scores.set(label, (scores.get(label) ?? 0) + (rankOf.get(entityId) ?? 0))
  return [...scores]
    .map(([label, score]) => ({ label, score }))
    .sort((a, b) => b.score - a.score || a.label - b.label)
    .slice(0, limit)
})

/** Returns the entities within reach of the seeds, nearest first, and the edges between them in both directions. */
const surroundings = (workspace: WorkspaceScope, seeds: ReadonlyArray<EntityId>) =>
  Effect.gen(function* () {
    const store = yield* GraphStore
    const numbers = new Map<EntityId, number>()
    const numberOf = (id: EntityId) => {
      const known = numbers.get(id)
      if (known !== undefined || numbers.size >= nodesMax) return known
      numbers.set(id, numbers.size)
      return numbers.size - 1
    }
    for (const id of seeds) numberOf(id)
    const weights = new Map<string, RankEdge>()
    let frontier: ReadonlyArray<EntityId> = [...numbers.keys()]
    for (let hop = 0; hop < hopsMax && frontier.length > 0; hop++) {
      const known = numbers.size
      const found = yield* store.strongestEdges(workspace, frontier, edgesMax)
      const strongest = new Map(found.map((one) => [one.head, one]))
      const walk = (src: EntityId, dst: EntityId, weight: number) => {
        const [a, b] = [numberOf(src), numberOf(dst)]
        if (a === undefined || b === undefined || a === b) return
        weights.set(`${a},${b}`, { src: a, dst: b, weight })
        const back = weights.get(`${b},${a}`)
        weights.set(`${b},${a}`, { src: b, dst: a, weight: Math.max(back?.weight ?? 0, weight) })
      }
      for (const id of frontier) {
        const at = strongest.get(id)
        for (const end of at?.outgoing ?? []) walk(id, end.id, end.mentionCount)
        for (const end of at?.incoming ?? []) walk(end.id, id, end.mentionCount)
      }
      frontier = [...numbers.keys()].slice(known)
    }
    return { nodes: [...numbers.keys()], edges: [...weights.values()] }
  })
