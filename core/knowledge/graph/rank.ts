import * as Effect from "effect/Effect"
import {
  type Atomic,
  atomically,
  crashPoint,
  type EntityId,
  traced,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { EntityStore } from "../entities/index.js"
import { GraphStore } from "./store.js"

/** An edge between two nodes, given by their numbers. */
export interface RankEdge {
  readonly src: number
  readonly dst: number
  /** Greater than 0. */
  readonly weight: number
}

export interface RankOptions {
  /** Probability of following an edge instead of restarting, in [0, 1). */
  readonly damping: number
  /** Restart weights by node; uniform when absent. Walks never restart at a node without a weight. */
  readonly seeds?: ReadonlyMap<number, number>
}

/**
 * Iteration stops when the total change is at most this; the remaining error is at most damping / (1 - damping) times
 * it.
 */
const tolerance = 1e-13
const stepsMax = 1000

/** Edges between numbered nodes, in columns. */
interface EdgeColumns {
  readonly from: Int32Array
  readonly to: Int32Array
  readonly weights: Float64Array
}

/**
 * Computes PageRank by power iteration. A walk follows an edge with probability `damping`, by weight, and else
 * restarts at a seed; at a node without edges it always restarts. Parallel edges add up, self-loops count. The result
 * sums to 1.
 *
 * Deterministic: equal nodes and edges in equal order give equal bits. Without nodes the result is empty; if all seed
 * weights are 0, seeds are uniform.
 */
export const pageRank = (
  nodeCount: number,
  edges: ReadonlyArray<RankEdge>,
  options: RankOptions
): Float64Array => {
  const from = new Int32Array(edges.length)
  const to = new Int32Array(edges.length)
  const weights = new Float64Array(edges.length)
  for (let place = 0; place < edges.length; place++) {
    const edge = edges[place]
    if (edge === undefined) continue
    from[place] = edge.src
    to[place] = edge.dst
    weights[place] = edge.weight
  }
  return walked(nodeCount, { from, to, weights }, options)
}

const walked = (
  nodeCount: number,
  { from, to, weights }: EdgeColumns,
  { damping, seeds }: RankOptions
): Float64Array => {
  const start = startOf(nodeCount, seeds)
  const out = new Float64Array(nodeCount)
  for (let edge = 0; edge < from.length; edge++) {
    const src = from[edge] ?? 0
    out[src] = (out[src] ?? 0) + (weights[edge] ?? 0)
  }
  const share = new Float64Array(from.length)
  for (let edge = 0; edge < from.length; edge++)
    share[edge] = (weights[edge] ?? 0) / (out[from[edge] ?? 0] ?? 1)
  let rank = start.slice()
  let next = new Float64Array(nodeCount)
  for (let step = 0; step < stepsMax; step++) {
    let idle = 0
    for (let node = 0; node < nodeCount; node++) if (out[node] === 0) idle += rank[node] ?? 0
    const anew = 1 - damping + damping * idle
    for (let node = 0; node < nodeCount; node++) next[node] = anew * (start[node] ?? 0)
    for (let edge = 0; edge < from.length; edge++) {
      const dst = to[edge] ?? 0
      next[dst] = (next[dst] ?? 0) + damping * (rank[from[edge] ?? 0] ?? 0) * (share[edge] ?? 0)
    }
    let change = 0
    for (let node = 0; node < nodeCount; node++) change += Math.abs((next[node] ?? 0) - (rank[node] ?? 0))
    const spare = rank
    rank = next
    next = spare
    if (change <= tolerance) break
  }
  return rank
}

const startOf = (nodeCount: number, seeds: ReadonlyMap<number, number> | undefined): Float64Array => {
  const start = new Float64Array(nodeCount)
  let total = 0
  for (const weight of seeds?.values() ?? []) total += weight
  if (seeds === undefined || total <= 0) return start.fill(1 / nodeCount)
  for (const [node, weight] of seeds) start[node] = weight / total
  return start
}

/** Sums the weights of parallel edges; yields each pair of nodes once, by source, then by destination. */
class EdgeSum {
  private readonly sources: Array<number> = []
  private readonly targets: Array<number> = []
  private readonly weights: Array<number> = []

  constructor(private readonly nodeCount: number) {}

  add(src: number, dst: number, weight: number): void {
    this.sources.push(src)
    this.targets.push(dst)
    this.weights.push(weight)
  }

  edges(): EdgeColumns {
    const { nodeCount, sources, targets, weights } = this
    const asAdded = Uint32Array.from(sources, (_, place) => place)
    const order = sortedBy(sources, sortedBy(targets, asAdded, nodeCount), nodeCount)
    const [from, to] = [new Int32Array(order.length), new Int32Array(order.length)]
    const sums = new Float64Array(order.length)
    let last = -1
    for (const place of order) {
      const [src, dst, weight] = [sources[place] ?? 0, targets[place] ?? 0, weights[place] ?? 0]
      if (last < 0 || from[last] !== src || to[last] !== dst) {
        last++
        from[last] = src
        to[last] = dst
      }
      sums[last] = (sums[last] ?? 0) + weight
    }
    return {
      from: from.subarray(0, last + 1),
      to: to.subarray(0, last + 1),
      weights: sums.subarray(0, last + 1)
    }
  }
}

/** Sorts positions by key, stable for equal keys (counting sort). */
const sortedBy = (keys: ReadonlyArray<number>, places: Uint32Array, keyCount: number): Uint32Array => {
  const starts = new Uint32Array(keyCount + 1)
  for (const key of keys) starts[key + 1] = (starts[key + 1] ?? 0) + 1
  for (let key = 0; key < keyCount; key++) starts[key + 1] = (starts[key + 1] ?? 0) + (starts[key] ?? 0)
  const sorted = new Uint32Array(places.length)
  for (const place of places) {
    const key = keys[place] ?? 0
    const at = starts[key] ?? 0
    sorted[at] = place
    starts[key] = at + 1
  }
  return sorted
}

/** Ranks written per unit of work. */
const ranksPerUnit = 1000
/**
 * Weight of one place of a relation, relative to one mention: a link is stronger evidence than a mention in passing.
 */
const relationWeight = 3

/** Damping of the analytics PageRank. */
const damping = 0.85

/**
 * Computes and stores PageRank over live canonical entities. Edges are canonical edges, and edges from the subject of
 * a document to the entities it mentions. Equal graphs give equal ranks regardless of history, because nodes and
 * edges are summed in order of type and nameNorm. Returns the number of changed ranks.
 */
export const rankGraph = traced("graph.rank")(function* (
  workspace: WorkspaceScope,
  options: {
    readonly unit?: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R | Atomic>
    /** Called after each unit with the number of ranks written and the number to write. */
    readonly onProgress?: (done: number, total: number) => Effect.Effect<void>
  } = {}
) {
  const { onProgress = () => Effect.void, unit = atomically } = options
  const entities = yield* EntityStore
  const changed = yield* ranksToSet(workspace)
  for (let from = 0; from < changed.length; from += ranksPerUnit) {
    const writeRanks = entities.setRanks(workspace, changed.slice(from, from + ranksPerUnit))
    yield* unit(Effect.zipLeft(writeRanks, crashPoint("rank.write.insideTransaction")))
    yield* crashPoint("rank.write.afterUnit")
    yield* onProgress(Math.min(from + ranksPerUnit, changed.length), changed.length)
  }
  return changed.length
})

/** Returns the ranks that differ from the stored ones. */
export const ranksToSet = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const [entities, graph] = [yield* EntityStore, yield* GraphStore]
    const nodes = yield* entities.canonical(workspace)
    const numbers = new Map<EntityId, number>(nodes.map(({ id }, place) => [id, place]))
    const mentions = yield* graph.mentionEdges(workspace)
    const ends = new Set(mentions.flatMap(({ dst, src }) => [src, dst]).filter((id) => !numbers.has(id)))
    // A merged entity counts as its head.
    for (const { headId, id } of yield* entities.findMany(workspace, [...ends])) {
      const head = numbers.get(headId)
      if (head !== undefined) numbers.set(id, head)
    }
    const collected = new EdgeSum(nodes.length)
    const add = (src: number | undefined, dst: number | undefined, weight: number) => {
      if (src !== undefined && dst !== undefined && src !== dst) collected.add(src, dst, weight)
    }
    yield* graph.edgesBySource(workspace, (src) => {
      const from = numbers.get(src)
      return (dst, mentionCount) => add(from, numbers.get(dst), relationWeight * mentionCount)
    })
    for (const { dst, mentionCount, src } of mentions) add(numbers.get(src), numbers.get(dst), mentionCount)
    const ranks = walked(nodes.length, collected.edges(), { damping })
    return nodes.flatMap(({ id, pagerank }, place) => {
      const rank = ranks[place] ?? 0
      return pagerank === rank ? [] : [{ id, pagerank: rank }]
    })
  })
