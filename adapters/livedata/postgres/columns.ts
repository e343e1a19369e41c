import type pg from "pg"
import type { ColumnInfo, DataTarget } from "../../../core/connected/livedata/index.js"
import { typeName } from "./values.js"

interface Named {
  readonly types: Map<number, string>
  readonly columns: Map<string, { readonly table: string; readonly column: string }>
}

/** Names of types and of the columns that results come from, as the catalogs of databases say; asked once each. */
export class Sources {
  private readonly named = new Map<string, Named>()
  private readonly connectorsMax = 200

  of({ id, version }: Pick<DataTarget, "id" | "version">): Named {
    const key = `${id} ${version}`
    const cachedNames = this.named.get(key)
    if (cachedNames !== undefined) return cachedNames
    if (this.named.size >= this.connectorsMax) this.named.clear()
    const made: Named = { types: new Map(), columns: new Map() }
    this.named.set(key, made)
    return made
  }

  /** Returns the cached description of a column, without a query. */
  known(target: Pick<DataTarget, "id" | "version">, field: pg.FieldDef): ColumnInfo {
    const { columns, types } = this.of(target)
    const source = columns.get(keyOf(field))
    return {
      name: field.name,
      type: typeName(field.dataTypeID) ?? types.get(field.dataTypeID) ?? "unknown",
      table: source?.table ?? null,
      column: source?.column ?? null
    }
  }
}

const keyOf = ({ columnID, tableID }: pg.FieldDef): string => `${tableID} ${columnID}`

/** The columns of a result, with the tables that they are read from. Asks the catalog for what is not known yet. */
export const describeColumns = async (
  client: pg.PoolClient,
  target: DataTarget,
  fields: ReadonlyArray<pg.FieldDef>,
  sources: Sources
): Promise<ReadonlyArray<ColumnInfo>> => {
  const { columns, types } = sources.of(target)
  const tables = fields.filter((field) => field.tableID !== 0 && !columns.has(keyOf(field)))
  if (tables.length > 0) {
    const { rows } = await client.query<{ key: string; schema: string; table: string; column: string }>({
      text: `select attrelid || ' ' || attnum as key, nspname as schema, relname as "table", attname as "column"
        from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = attrelid
        join pg_catalog.pg_namespace n on n.oid = relnamespace where attrelid = any($1::oid[]) and attnum > 0`,
      values: [[...new Set(tables.map(({ tableID }) => tableID))]]
    })
    if (columns.size > 10_000) columns.clear()
    for (const { column, key, schema, table } of rows)
      columns.set(key, { column, table: schema === "public" ? table : `${schema}.${table}` })
  }
  const others = fields.filter(({ dataTypeID }) => typeName(dataTypeID) === null && !types.has(dataTypeID))
  if (others.length > 0) {
    const { rows } = await client.query<{ oid: number; name: string }>({
      text: "select oid::int8::int4 as oid, pg_catalog.format_type(oid, null) as name from pg_catalog.pg_type where oid = any($1::oid[])",
      values: [others.map(({ dataTypeID }) => dataTypeID)]
    })
    for (const { name, oid } of rows) types.set(Number(oid), name)
  }
  return fields.map((field) => sources.known(target, field))
}
