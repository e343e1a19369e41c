import { isDeepStrictEqual } from "node:util"
import { graphOperations } from "../core/knowledge/graph/index.js"
import { runOperation } from "../core/platform/kernel/index.js"
import { type Bare, type BareRow, openBare } from "./bare.js"
import { idOf, makeGraph, storeGraph } from "./graph-data.js"
import { compare, costOf, interleaved } from "./measure.js"
import { randomFrom } from "./random.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { statementsOf } from "./statements.js"
import { median, quantile } from "./statistics.js"
import { type BenchWorkspace, openWorkspace, withFolder } from "./workspace.js"

/** A smaller and a larger graph, so that growth shows. */
const edgesWanted: Readonly<Record<Size, readonly [number, number]>> = {
  small: [400, 1_000],
  default: [20_000, 100_000],
  full: [100_000, 1_000_000]
}
const pairsWanted: Readonly<Record<Size, number>> = { small: 2, default: 15, full: 15 }
/** Windows of each side before any is measured: what is asked is how a program fares that runs. */
const warmUp: Readonly<Record<Size, number>> = { small: 1, default: 160, full: 160 }
const seedsEach: Readonly<Record<Size, number>> = { small: 3, default: 12, full: 12 }
const depths = [1, 2, 3] as const
const [perHopCap, totalCap] = [12, 60]

interface Found {
  readonly ids: ReadonlyArray<string>
  readonly edges: ReadonlyArray<unknown>
}

export const neighbourhood: RunBench = async (context) => {
  const [smaller, larger] = edgesWanted[context.size]
  const before = await atSize(context, smaller)
  const after = await atSize(context, larger)
  for (const depth of depths) {
    const [ours, floor] = [after.get(depth), before.get(depth)]
    if (ours === undefined || floor === undefined) continue
    context.report({
      metric: `depth ${depth}, ${larger} edges beside ${smaller}, CPU`,
      ours,
      floor,
      n: pairsWanted[context.size] * seedsEach[context.size],
      unit: "ms",
      peer: `the same at ${smaller} edges`,
      target: "<= 1.6"
    })
  }
}

/** Measures one size; the median time by depth. */
const atSize = async (context: BenchContext, edges: number): Promise<ReadonlyMap<number, number>> =>
  withFolder(async (folder) => {
    const graph = makeGraph(edges, context.seed)
    const workspace = await openWorkspace({ data: folder })
    const database = await openBare(folder)
    await storeGraph(database, workspace.scope, graph)
    const floor = bare(database, workspace.scope)
    const random = randomFrom(context.seed + edges)
    // Small numbers are the hubs: every window walks from some of them and from others.
    const seeds = Array.from({ length: seedsEach[context.size] }, (_, place) =>
      idOf(Math.floor(random() ** (1 + (place % 3)) * graph.nodes))
    )
    const medians = new Map<number, number>()
    for (const depth of depths)
      medians.set(depth, await atDepth(context, edges, depth, seeds, workspace, floor))
    await database.close()
    await workspace.close()
    return medians
  })

const atDepth = async (
  { report, size }: BenchContext,
  edges: number,
  depth: (typeof depths)[number],
  seeds: ReadonlyArray<string>,
  workspace: BenchWorkspace,
  floor: ReturnType<typeof bare>
): Promise<number> => {
  const walk = (id: string) =>
    runOperation(graphOperations.getNeighborhood, { id, depth, perHopCap, totalCap })
  for (const id of seeds) {
    const { edges: between, nodes } = await workspace.run(walk(id))
    const ours: Found = { ids: nodes.map((node) => node.id), edges: between }
    if (!isDeepStrictEqual(ours, await floor(id, depth)))
      throw new Error(`The floor finds another neighbourhood of ${id}.`)
  }
  const window = async (work: (id: string) => unknown) => {
    const costs: Array<number> = []
    for (const id of seeds) costs.push((await costOf(() => work(id))).cpuMs)
    return costs
  }
  const ours = () => window((id) => workspace.run(walk(id)))
  const plain = () => window((id) => floor(id, depth))
  for (let count = 0; count < warmUp[size]; count++) {
    await ours()
    await plain()
  }
  const pairs = await interleaved(pairsWanted[size], ours, plain)
  const metric = `depth ${depth}, ${edges} edges`
  const peer = "indexed statements for each hop, edges between, and the same cards, written by hand"
  const line = { unit: "ms", peer }
  report({ metric: `${metric}, CPU`, ...compare(pairs, (costs) => median(costs)), ...line, target: "<= 1.5" })
  const all = pairs.flatMap((pair) => pair.ours)
  const [p50, p95] = [median(all), quantile(all, 0.95)]
  report({
    metric: `${metric}, p95 beside p50, CPU`,
    ours: p95,
    floor: p50,
    n: all.length,
    unit: "ms",
    peer: "p50 of the same walks",
    target: "<= 3"
  })
  const counts = await statementsOf(workspace, walk(seeds[0] ?? ""))
  const exact = { n: 1, unit: "a walk", peer: "exact count" }
  report({ metric: `${metric}, SQL statements`, ours: counts["SQL statements"], ...exact })
  return p50
}

/** The walk as plain statements: the strongest edges of each entity of a hop, then cards and what lies between. */
const bare = (database: Bare, workspace: string) => {
  const strongest = (own: string, other: string) => (entity: string) =>
    database.all(
      `select src_id, type, dst_id, mention_count from edge where workspace_id = ? and ${own} = ?
       order by mention_count desc, ${other}, type limit ?`,
      [workspace, entity, perHopCap + 1]
    )
  const [out, into] = [strongest("src_id", "dst_id"), strongest("dst_id", "src_id")]
  const inList = (text: (marks: string) => string, ...lists: ReadonlyArray<ReadonlyArray<string>>) =>
    database.all(text(lists[0]?.map(() => "?").join() ?? ""), [workspace, ...lists.flat()])
  const hint = database.kind === "sqlite" ? "indexed by entity_head" : ""
  return async (seed: string, depth: number): Promise<Found> => {
    const reached = new Set([seed])
    let frontier: ReadonlyArray<string> = [seed]
    for (let hop = 0; hop < depth; hop++) {
      const next: Array<string> = []
      for (const entity of frontier) {
        const other = (edge: BareRow) => String(edge["src_id"] === entity ? edge["dst_id"] : edge["src_id"])
        const text = (edge: BareRow) => `${other(edge)} ${edge["type"]} ${edge["src_id"]}`
        const edges = [...(await out(entity)), ...(await into(entity))]
        const weight = (edge: BareRow) => Number(edge["mention_count"])
        edges.sort((a, b) => weight(b) - weight(a) || (text(a) < text(b) ? -1 : 1))
        for (const edge of edges.slice(0, perHopCap)) {
          if (reached.has(other(edge)) || reached.size >= totalCap) continue
          reached.add(other(edge))
          next.push(other(edge))
        }
      }
      frontier = next
    }
    const ids = [...reached]
    await inList(
      (marks) => `select * from entity ${hint} where workspace_id = ? and head_id in (${marks})`,
      ids
    )
    await inList(
      (marks) => `select * from entity_alias where workspace_id = ? and entity_id in (${marks})`,
      ids
    )
    await inList(
      (marks) => `select e.id as entity_id, m.document_no, count(*) as n
        from id_number e cross join mention m
        where e.workspace_id = ? and e.id in (${marks})
          and m.workspace_id = e.workspace_id and m.entity_no = e.number group by e.id, m.document_no`,
      ids
    )
    await inList(
      (marks) => `select entity_id, type from edge_type where workspace_id = ? and entity_id in (${marks})
        order by entity_id, mention_count desc, type`,
      ids
    )
    const between = await inList(
      (marks) => `select src_id, type, dst_id, mention_count from edge where workspace_id = ?
         and src_id in (${marks}) and dst_id in (${marks}) order by src_id, type, dst_id`,
      ids,
      ids
    )
    return {
      ids,
      edges: between.map((edge) => ({
        src: edge["src_id"],
        type: edge["type"],
        dst: edge["dst_id"],
        mentionCount: edge["mention_count"]
      }))
    }
  }
}
