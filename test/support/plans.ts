import pg from "pg"

/** A statement as the engine sent it. */
export interface Sent {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
}

/** How the database would go about a statement. */
export interface Plan {
  readonly text: string
  /** Tables that it would look through from end to end, to keep a small part of their rows. */
  readonly scanned: ReadonlyArray<string>
}

interface Node {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Plan Rows": number
  readonly Plans?: ReadonlyArray<Node>
}

/** A workspace has a few rows of these, however large it is. */
const ofFewRows = new Set(["vector_model", "vector_artefact"])

/** Columns, as the catalog tells of them. */
interface Column {
  readonly name: string
  readonly kind: string
  readonly distinct: boolean
}

const withClient = async <A>(url: string, use: (client: pg.Client) => Promise<A>): Promise<A> => {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** Who wants more of a table than this reads it as well from end to end as by an index. */
const smallShare = 0.05

/** Every table that belongs to a workspace. Those of pgvector are parted by workspace: a copy's has no part. */
const tenantTables = async (client: pg.Client): Promise<ReadonlyArray<string>> => {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and not c.relispartition
        and a.attname = 'workspace_id' and not a.attisdropped order by 1`
  )
  return rows.map(({ name }) => name)
}

/**
 * Multiplies the rows of every tenant table until it has about so many: half of the copies belong to the workspace
 * they are of, half to others, a tenth of a workspace each. What names a row gets the number of its copy, so that a copy of a
 * document has copies of its passages. Then tells the planner.
 */
export const enlarge = (
  url: string,
  workspace: string,
  rowsOf: (table: string) => number
): Promise<ReadonlyMap<string, number>> =>
  withClient(url, async (client) => {
    // Copies are rows as any; references have no say in what is none of theirs.
    await client.query("set session_replication_role = replica")
    const made = new Map<string, number>()
    for (const table of await tenantTables(client)) {
      if (ofFewRows.has(table)) continue
      const columns = await columnsOf(client, table)
      const held = await countOf(client, `${table} where workspace_id = $1`, [workspace])
      if (held === 0) continue
      const copies = Math.ceil(rowsOf(table) / held)
      const values = columns.map(({ distinct, kind, name }) => {
        if (name === "workspace_id")
          return `case when g % 2 = 0 then r.workspace_id else r.workspace_id || (g / 2) % 10 end`
        if (!distinct) return `r.${name}`
        return kind === "text" ? `r.${name} || '-' || g` : `r.${name} + g * 1000`
      })
      await client.query(
        `insert into ${table} (${columns.map(({ name }) => name).join(", ")})
          select ${values.join(", ")} from ${table} r, generate_series(1, ${copies}) g where workspace_id = $1
          on conflict do nothing`,
        [workspace]
      )
      made.set(table, await countOf(client, table, []))
    }
    await client.query("analyze")
    return made
  })

const countOf = async (client: pg.Client, from: string, values: Array<string>): Promise<number> =>
  Number((await client.query<{ n: string }>(`select count(*) as n from ${from}`, values)).rows[0]?.n)

/** The columns of a table; those that name a row, in it or in another table, differ from copy to copy. */
const columnsOf = async (client: pg.Client, table: string): Promise<ReadonlyArray<Column>> => {
  const { rows } = await client.query<{ name: string; kind: string; in_key: boolean }>(
    `select a.attname as name, format_type(a.atttypid, null) as kind, exists (select 1 from pg_index i
        where i.indrelid = a.attrelid and i.indisunique and a.attnum = any (i.indkey)) as in_key
      from pg_attribute a where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped
        and a.attgenerated = '' order by a.attnum`,
    [table]
  )
  return rows.map(({ in_key, kind, name }) => ({
    name,
    kind: kind === "text" ? "text" : "number",
    distinct:
      (in_key || /(^|_)(id|no|number|head|label|seq|hash|key|norm|iri|path)$/.test(name)) &&
      ["text", "bigint", "integer"].includes(kind)
  }))
}

/** How the database would go about each statement, with the values that it was sent with. */
export const plansOf = (
  url: string,
  sent: ReadonlyArray<Sent>,
  rows: ReadonlyMap<string, number>,
  settings: Readonly<Record<string, string>> = {}
): Promise<ReadonlyArray<Plan>> =>
  withClient(url, async (client) => {
    for (const [name, value] of Object.entries(settings))
      await client.query("select set_config($1, $2, false)", [name, value])
    // One that works beside others tells of its own part of the rows.
    await client.query("set max_parallel_workers_per_gather = 0")
    const plans: Array<Plan> = []
    for (const { text, values } of sent) {
      const { rows: told } = await client.query<{ "QUERY PLAN": ReadonlyArray<{ Plan: Node }> }>(
        `explain (format json) ${text}`,
        [...values]
      )
      const nodes = (told[0]?.["QUERY PLAN"] ?? []).flatMap(({ Plan }) => below(Plan))
      plans.push({
        text,
        scanned: nodes.flatMap((node) =>
          node["Node Type"] === "Seq Scan" &&
          node["Plan Rows"] < smallShare * (rows.get(node["Relation Name"] ?? "") ?? 0)
            ? [node["Relation Name"] ?? ""]
            : []
        )
      })
    }
    return plans
  })

const below = (node: Node): ReadonlyArray<Node> => [node, ...(node.Plans ?? []).flatMap(below)]
