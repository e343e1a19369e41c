import * as Effect from "effect/Effect"
import { EntityStore } from "../entities/index.js"
import {
  type Atomic,
  atomically,
  crashPoint,
  type EntityId,
  traced,
  type WorkspaceScope
} from "../kernel/index.js"
import { GraphStore } from "./store.js"

/** An edge between two nodes, given by their numbers. */
export interface RankEdge {
  readonly src: number
  readonly dst: number
  /** Greater than 0. */
  readonly weight: number
}

export interface RankOptions {
  /** Chance to follow an edge rather than to start anew, in [0, 1). */
  readonly damping: number
  /** Weights of the nodes at which walks start; all alike when absent. Nodes without one are never started at. */
  readonly seeds?: ReadonlyMap<number, number>
}

/** Steps are made until no more than this changes in all; the remaining error is at most damping / (1 - damping) times it. */
const tolerance = 1e-13
const stepsMax = 1000

/**
 * PageRank by power iteration: the share of time that a walker spends at each node who follows an edge with
 * chance `damping`, by weight, and else starts anew. Who stands at a node without edges starts anew too, by the
 * same seeds. Parallel edges add up; an edge from a node to itself counts. The result sums to 1.
 *
 * Deterministic: equal nodes and edges in equal order give equal bits. No nodes give an empty result; with
 * seeds of no weight at all every node counts as one.
 */
export const pageRank = (
  nodeCount: number,
  edges: ReadonlyArray<RankEdge>,
  { damping, seeds }: RankOptions
): Float64Array => {
  const start = startOf(nodeCount, seeds)
  const out = new Float64Array(nodeCount)
  for (const { src, weight } of edges) out[src] = (out[src] ?? 0) + weight
  const [from, to] = [new Int32Array(edges.length), new Int32Array(edges.length)]
  const share = new Float64Array(edges.length)
  for (let i = 0; i < edges.length; i++) {
    const edge = edges[i]
    if (edge === undefined) continue
    from[i] = edge.src
    to[i] = edge.dst
    share[i] = edge.weight / (out[edge.src] ?? 1)
  }
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

/** Sums the weights of parallel edges; gives each pair of nodes once, by source, then by destination. */
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

  edges(): ReadonlyArray<RankEdge> {
    const { nodeCount, sources, targets, weights } = this
    const asAdded = Uint32Array.from(sources, (_, place) => place)
    const order = sortedBy(sources, sortedBy(targets, asAdded, nodeCount), nodeCount)
    const edges: Array<{ readonly src: number; readonly dst: number; weight: number }> = []
    for (const place of order) {
      const [src, dst, weight] = [sources[place] ?? 0, targets[place] ?? 0, weights[place] ?? 0]
      const last = edges[edges.length - 1]
      if (last?.src === src && last.dst === dst) last.weight += weight
      else edges.push({ src, dst, weight })
    }
    return edges
  }
}

/** The places in the order of their keys, those of equal keys as they were: a counting sort. */
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

/** Ranks written in one unit of work. */
const ranksPerUnit = 1000
/** A link says more than a word in passing: what one place of a relation weighs against one mention. */
const relationWeight = 3

/** Damping of the analytics PageRank. */
const damping = 0.85

/**
 * Computes PageRank over live canonical entities and stores it. Walks follow canonical edges, and lead from
 * what a document is about to what it mentions. Equal graphs give equal ranks, whatever their history: nodes and
 * edges are summed in order of type and nameNorm. Gives how many ranks changed.
 */
export const rankGraph = traced("graph.rank")(function* (
  workspace: WorkspaceScope,
  options: {
    readonly unit?: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R | Atomic>
    /** Told after each unit: ranks written, of how many that change. */
    readonly onProgress?: (done: number, total: number) => Effect.Effect<void>
  } = {}
) {
  const { onProgress = () => Effect.void, unit = atomically } = options
  const entities = yield* EntityStore
  const changed = yield* ranksToSet(workspace)
  for (let from = 0; from < changed.length; from += ranksPerUnit) {
    const written = entities.setRanks(workspace, changed.slice(from, from + ranksPerUnit))
    yield* unit(Effect.zipLeft(written, crashPoint("rank.write.insideTransaction")))
    yield* crashPoint("rank.write.afterUnit")
    yield* onProgress(Math.min(from + ranksPerUnit, changed.length), changed.length)
  }
  return changed.length
})

/** The ranks that entities are to have and do not. */
export const ranksToSet = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const [entities, graph] = [yield* EntityStore, yield* GraphStore]
    const nodes = yield* entities.canonical(workspace)
    const numbers = new Map<EntityId, number>(nodes.map(({ id }, place) => [id, place]))
    const mentions = yield* graph.mentionEdges(workspace)
    const ends = new Set(mentions.flatMap(({ dst, src }) => [src, dst]).filter((id) => !numbers.has(id)))
    // What was merged away stands for its head.
    for (const { headId, id } of yield* entities.findMany(workspace, [...ends])) {
      const head = numbers.get(headId)
      if (head !== undefined) numbers.set(id, head)
    }
    const collected = new EdgeSum(nodes.length)
    const add = (src: number | undefined, dst: number | undefined, weight: number) => {
      if (src !== undefined && dst !== undefined && src !== dst) collected.add(src, dst, weight)
    }
    for (const { dsts, mentionCounts, src } of yield* graph.edgesBySource(workspace)) {
      const from = numbers.get(src)
      for (const [place, dst] of dsts.entries())
        add(from, numbers.get(dst), relationWeight * (mentionCounts[place] ?? 0))
    }
    for (const { dst, mentionCount, src } of mentions) add(numbers.get(src), numbers.get(dst), mentionCount)
    const ranks = pageRank(nodes.length, collected.edges(), { damping })
    return nodes.flatMap(({ id, pagerank }, place) => {
      const rank = ranks[place] ?? 0
      return pagerank === rank ? [] : [{ id, pagerank: rank }]
    })
  })
