import type { Card, Neighborhood } from "../../../../server/client/index.js"

/** A graph as it is shown: nodes by id, and edges without duplicates. */
export interface Graph {
  readonly nodes: ReadonlyMap<string, Card>
  readonly edges: ReadonlyArray<GraphEdge>
}

export type GraphEdge = Neighborhood["edges"][number]

/** Filter of a graph. Empty sets show everything, except for the hidden types. */
export interface GraphFilter {
  /** Types that are shown only when they are chosen: tags connect what has little to do with one another. */
  readonly hidden: ReadonlySet<string>
  readonly types: ReadonlySet<string>
  readonly relations: ReadonlySet<string>
  readonly authorities: ReadonlySet<string>
}

export const emptyGraph: Graph = { nodes: new Map(), edges: [] }
export const noFilter: GraphFilter = {
  hidden: new Set(),
  types: new Set(),
  relations: new Set(),
  authorities: new Set()
}
/** What a graph begins with. */
export const firstFilter: GraphFilter = { ...noFilter, hidden: new Set(["tag"]) }

/** Nodes kept in all. Expanding beyond it drops the nodes that were added first, but never those to keep. */
const nodesMax = 1_500

/** Adds a neighborhood to a graph, within `max` nodes. */
export const withNeighborhood = (
  graph: Graph,
  { edges, entity, nodes }: Pick<Neighborhood, "edges" | "entity" | "nodes">,
  max = nodesMax
): Graph => {
  const added = new Map([entity, ...nodes].map((node) => [node.id, node]))
  const older = [...graph.nodes].filter(([id]) => !added.has(id))
  const kept = new Map([...older.slice(Math.max(0, older.length + added.size - max)), ...added])
  return { nodes: kept, edges: distinctEdges([...graph.edges, ...edges], kept) }
}

/**
 * The edges between these nodes, each once: a later one takes the place of an earlier one. Pairs of nodes are numbers
 * here, because a hub of ten thousand edges would build as many long texts.
 */
const distinctEdges = (
  edges: ReadonlyArray<GraphEdge>,
  nodes: ReadonlyMap<string, Card>
): ReadonlyArray<GraphEdge> => {
  const numbers = new Map([...nodes.keys()].map((id, place) => [id, place]))
  const placesByType = new Map<string, Map<number, number>>()
  const distinct: Array<GraphEdge> = []
  for (const edge of edges) {
    const [from, to] = [numbers.get(edge.src), numbers.get(edge.dst)]
    if (from === undefined || to === undefined) continue
    const places = placesByType.get(edge.type) ?? new Map<number, number>()
    placesByType.set(edge.type, places)
    const pair = from * nodes.size + to
    const place = places.get(pair) ?? distinct.length
    places.set(pair, place)
    distinct[place] = edge
  }
  return distinct
}

/** The part of a graph that passes a filter; nodes of `always` stay whatever their type. */
export const filtered = (graph: Graph, filter: GraphFilter, always: ReadonlySet<string>): Graph => {
  const passes = (set: ReadonlySet<string>, value: string) => set.size === 0 || set.has(value)
  const nodes = new Map(
    [...graph.nodes].filter(
      ([id, node]) =>
        always.has(id) ||
        (passes(filter.types, node.type) &&
          (filter.types.size > 0 || !filter.hidden.has(node.type)) &&
          passes(filter.authorities, node.authority))
    )
  )
  const edges = graph.edges.filter(
    ({ dst, src, type }) => nodes.has(src) && nodes.has(dst) && passes(filter.relations, type)
  )
  return { nodes, edges }
}

/** Distinct values with their number, the most frequent first. */
export const countsOf = (values: Iterable<string>): ReadonlyArray<readonly [string, number]> => {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([a, n], [b, m]) => m - n || a.localeCompare(b))
}

/** A shortest path without regard to direction, as its node ids; null where the shown nodes hold none. */
export const shortestPath = ({ edges }: Graph, from: string, to: string): ReadonlyArray<string> | null => {
  const next = new Map<string, Array<string>>()
  const join = (a: string, b: string) => {
    const list = next.get(a)
    if (list === undefined) next.set(a, [b])
    else list.push(b)
  }
  for (const { dst, src } of edges) {
    join(src, dst)
    join(dst, src)
  }
  const cameFrom = new Map<string, string | null>([[from, null]])
  let ring = [from]
  while (ring.length > 0 && !cameFrom.has(to)) {
    const outer: Array<string> = []
    for (const id of ring)
      for (const neighbour of next.get(id) ?? []) {
        if (cameFrom.has(neighbour)) continue
        cameFrom.set(neighbour, id)
        outer.push(neighbour)
      }
    ring = outer
  }
  if (!cameFrom.has(to)) return null
  const path: Array<string> = []
  for (let at: string | null | undefined = to; at !== null && at !== undefined; at = cameFrom.get(at))
    path.unshift(at)
  return path
}
