import Database from "better-sqlite3"
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

type Given = Readonly<Record<string, string | number>>

/** Puts rows into a table; columns that a row does not name are left empty. */
export const insertRows = (database: Database.Database, table: string, rows: Iterable<Given>): void => {
  const names = database
    .prepare<[], { name: string; type: string; notnull: number }>(
      `select name, type, "notnull" from pragma_table_info('${table}')`
    )
    .all()
  const statement = database.prepare(
    `insert into ${table} (${names.map(({ name }) => name).join()}) values (${names.map(() => "?").join()})`
  )
  for (const row of rows)
    statement.run(
      names.map(({ name, notnull, type }) => row[name] ?? (notnull === 0 ? null : type === "text" ? "" : 0))
    )
}

/** An entity that is nothing but its name. */
export const entityRow = (workspace: string, node: number): Given => {
  const id = idOf(node)
  const identity = { workspace_id: workspace, id, seq: node, name: id, name_norm: id, head_id: id }
  const rest = { origin: "manual", authority: "asserted", lifecycle: "draft", steward_ids: "[]", version: 1 }
  return { ...identity, ...rest, type: "concept" }
}

/** Puts the graph into the tables of a workspace. */
export const storeGraph = (file: string, workspace: string, { edges, nodes }: Graph): void => {
  const database = new Database(file)
  database.transaction(() => {
    insertRows(
      database,
      "entity",
      Array.from({ length: nodes }, (_, node) => entityRow(workspace, node))
    )
    insertRows(
      database,
      "edge",
      edges.map(({ dst, src, weight }) => ({
        workspace_id: workspace,
        src_id: idOf(src),
        type: "references",
        dst_id: idOf(dst),
        mention_count: weight
      }))
    )
  })()
  database.close()
}
