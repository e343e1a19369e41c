import type { Bare, BareRow } from "./bare.js"
import { randomFrom } from "./random.js"

/** Nodes are so many times fewer than edges. */
const edgesPerNode = 8

/** Numbered nodes, and edges between them. */
export interface Graph {
  readonly nodes: number
  readonly edges: ReadonlyArray<{ readonly src: number; readonly dst: number; readonly weight: number }>
}

/** Some nodes are much linked to, as in every vault; some link nowhere. No edge is there twice. */
export const makeGraph = (count: number, seed: number): Graph => {
  const random = randomFrom(seed)
  const nodes = Math.ceil(count / edgesPerNode)
  const pairs = new Set<number>()
  while (pairs.size < count) {
    const src = Math.floor(random() * nodes * 0.9)
    const dst = Math.floor(random() ** 3 * nodes)
    if (src !== dst) pairs.add(src * nodes + dst)
  }
  const edges = [...pairs]
    .sort((a, b) => a - b)
    .map((pair) => ({
      src: Math.floor(pair / nodes),
      dst: pair % nodes,
      weight: 1 + Math.floor(random() * 4)
    }))
  return { nodes, edges }
}

/** The id of the entity that a node is. */
export const idOf = (node: number): string => `ent_${String(node).padStart(26, "0")}`

/** An entity that is nothing but its name. */
export const entityRow = (workspace: string, node: number): BareRow => {
  const id = idOf(node)
  const identity = { workspace_id: workspace, id, seq: node, name: id, name_norm: id, head_id: id }
  const rest = { origin: "manual", authority: "asserted", lifecycle: "draft", steward_ids: "[]", version: 1 }
  const lists = { person_fields: "[]", merged_ids: "[]" }
  return { ...identity, ...rest, ...lists, type: "concept" }
}

/** Puts the graph into the tables of a workspace. */
export const storeGraph = async (
  database: Bare,
  workspace: string,
  { edges, nodes }: Graph
): Promise<void> => {
  await database.insert(
    "entity",
    Array.from({ length: nodes }, (_, node) => entityRow(workspace, node))
  )
  await database.insert(
    "edge",
    edges.map(({ dst, src, weight }) => ({
      workspace_id: workspace,
      src_id: idOf(src),
      type: "references",
      dst_id: idOf(dst),
      mention_count: weight
    }))
  )
  await countTypes(database, workspace)
}

/** Fills the table that the engine keeps beside edges: the mentions of each edge type by entity. */
export const countTypes = (database: Bare, workspace: string): Promise<unknown> =>
  database.all(
    `insert into edge_type (workspace_id, entity_id, type, mention_count)
     select workspace_id, entity_id, type, sum(mention_count) from (
       select workspace_id, src_id as entity_id, type, mention_count from edge
       union all select workspace_id, dst_id, type, mention_count from edge) ends
     where workspace_id = ? group by workspace_id, entity_id, type`,
    [workspace]
  )
