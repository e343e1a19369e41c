import type { Bare, BareRow } from "./bare.js"

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
