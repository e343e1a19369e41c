import { pageRank, rankGraph } from "../core/knowledge/graph/index.js"
import { type Bare, openBare } from "./bare.js"
import { type Graph, makeGraph, storeGraph } from "./graph-data.js"
import { compare, costOf, interleaved } from "./measure.js"
import { optional } from "./peers/optional.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { openWorkspace, withFolder } from "./workspace.js"

const edgesWanted: Readonly<Record<Size, number>> = { small: 400, default: 100_000, full: 1_000_000 }
const pairsWanted: Readonly<Record<Size, number>> = { small: 2, default: 15, full: 15 }
const packagePairs: Readonly<Record<Size, number>> = { small: 2, default: 15, full: 15 }
const damping = 0.85
const tolerance = 1e-13

/** Power iteration over typed arrays that are there already: the least that gives the same ranks. */
const powerIteration = (graph: Graph): (() => Float64Array) => {
  const { edges, nodes } = graph
  const [from, to] = [Int32Array.from(edges, ({ src }) => src), Int32Array.from(edges, ({ dst }) => dst)]
  const out = new Float64Array(nodes)
  for (const { src, weight } of edges) out[src] = (out[src] ?? 0) + weight
  const share = Float64Array.from(edges, ({ src, weight }) => weight / (out[src] ?? 1))
  return () => {
    let rank = new Float64Array(nodes).fill(1 / nodes)
    for (let change = 1; change > tolerance; ) {
      let idle = 0
      for (let node = 0; node < nodes; node++) if (out[node] === 0) idle += rank[node] ?? 0
      const next = new Float64Array(nodes).fill((1 - damping + damping * idle) / nodes)
      for (let i = 0; i < from.length; i++) {
        const dst = to[i] ?? 0
        next[dst] = (next[dst] ?? 0) + damping * (rank[from[i] ?? 0] ?? 0) * (share[i] ?? 0)
      }
      change = 0
      for (let node = 0; node < nodes; node++) change += Math.abs((next[node] ?? 0) - (rank[node] ?? 0))
      rank = next
    }
    return rank
  }
}

const isFunction = (value: unknown): value is (...given: ReadonlyArray<unknown>) => unknown =>
  typeof value === "function"

/** Reads the edges with a bare statement, builds the package's graph of them, and has it rank the nodes. */
const graphology = async () => {
  const [{ DirectedGraph }, { default: rank }] = await Promise.all([
    import("graphology"),
    import("graphology-metrics/centrality/pagerank.js")
  ])
  // It is declared as a module with a default, and is the function itself.
  const callable: unknown = rank
  if (!isFunction(callable)) throw new Error("graphology-metrics gives no function.")
  return async (database: Bare) => {
    const graph = new DirectedGraph()
    for (const { id } of await database.all("select id from entity", [])) graph.addNode(id)
    for (const { dst_id, mention_count, src_id } of await database.all(
      "select src_id, dst_id, mention_count from edge",
      []
    ))
      graph.addEdge(src_id, dst_id, { weight: mention_count })
    return callable(graph, {
      alpha: damping,
      tolerance: tolerance,
      maxIterations: 1000,
      getEdgeWeight: "weight"
    })
  }
}

export const pagerank: RunBench = async (context) => {
  const { report, say, seed, size } = context
  const graph = makeGraph(edgesWanted[size], seed)
  say(`${graph.nodes} nodes, ${graph.edges.length} edges`)
  const floor = powerIteration(graph)
  const computing = () => pageRank(graph.nodes, graph.edges, { damping })
  const theirs = floor()
  const furthest = computing().reduce(
    (most, rank, node) => Math.max(most, Math.abs(rank - (theirs[node] ?? 0))),
    0
  )
  if (furthest > 1e-9) throw new Error(`The floor gives other ranks, by ${furthest}.`)
  const pairs = await interleaved(
    pairsWanted[size],
    () => costOf(computing),
    () => costOf(floor)
  )
  const peer = "power iteration over typed arrays that are there"
  report({
    metric: "computing, CPU",
    ...compare(pairs, ({ cpuMs }) => cpuMs),
    unit: "ms",
    peer,
    target: "<= 1.5"
  })
  report({ metric: "computing, wall", ...compare(pairs, ({ wallMs }) => wallMs), unit: "ms", peer })
  await withFolder((folder) => whole(context, folder, graph))
}

/** With reading and, the first time, writing. */
const whole = async (context: BenchContext, folder: string, graph: Graph): Promise<void> => {
  const { report, size } = context
  const workspace = await openWorkspace({ data: folder })
  const database = await openBare(folder)
  await storeGraph(database, workspace.scope, graph)
  const rank = () => workspace.run(rankGraph(workspace.scope))
  const first = await costOf(rank)
  const alone = { n: 1, unit: "ms", peer: "no peer" }
  report({ metric: "reading, computing and writing all ranks, CPU", ours: first.cpuMs, ...alone })
  const peer = await optional(context, "graphology", graphology)
  if (peer !== null) {
    const pairs = await interleaved(
      packagePairs[size],
      () => costOf(rank),
      () => costOf(() => peer(database))
    )
    const whole = { unit: "ms", peer: "graphology-metrics, with reading and its build" }
    report({
      metric: "reading and computing, CPU",
      ...compare(pairs, ({ cpuMs }) => cpuMs),
      ...whole,
      target: "<= 0.25"
    })
    report({ metric: "reading and computing, wall", ...compare(pairs, ({ wallMs }) => wallMs), ...whole })
  }
  await database.close()
  await workspace.close()
}
