import { join } from "node:path"
import Sqlite from "better-sqlite3"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readerTables } from "../../../adapters/postgres/reader-policies.js"
import {
  hostReadableTables,
  hostTables,
  programTables
} from "../../../adapters/postgres/row-level-security.js"
import { temporaryFolder } from "../../support/folders.js"
import { placeMigrated } from "../../support/migrated.js"
import { dropDatabase, makeMigrated } from "../../support/postgres.js"

/** A key, an index or a foreign key, with its columns in their order. */
interface Key {
  readonly table: string
  readonly name: string
  readonly kind: "primary" | "unique" | "plain" | "foreign"
  readonly columns: ReadonlyArray<string>
}

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly notNull: boolean
}

/** Tables as the catalog of a database describes them. */
interface Catalog {
  readonly columns: ReadonlyArray<Column>
  readonly keys: ReadonlyArray<Key>
  readonly triggers: ReadonlyArray<string>
}

const workspaceColumn = "workspace_id"

/** Indexes of the queue, of keys and of a person's memberships, which are read before any workspace is known. */
const acrossWorkspaces = [
  "job_cron_due",
  "job_due",
  "job_finished",
  "job_leased",
  "job_ready",
  "key_grant_key",
  "membership_user"
]

const ofSqlite = (database: Sqlite.Database): Catalog => {
  const all = <Row>(text: string) => database.prepare<[], Row>(text).all()
  const tables =
    "pragma_table_list t where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite_%'"
  const keys = all<{ table: string; name: string; origin: string; unique: number; column: string | null }>(
    `select t.name as "table", i.name, i.origin, i."unique", c.name as "column"
      from (select name from ${tables}) t join pragma_index_list(t.name) i join pragma_index_info(i.name) c
      order by i.name, c.seqno`
  )
  const foreign = all<{ table: string; id: number; from: string }>(
    `select t.name as "table", f.id, f."from" from (select name from ${tables}) t
      join pragma_foreign_key_list(t.name) f order by t.name, f.id, f.seq`
  )
  // A primary key of one column of text is an index too; what SQLite makes of a rowid is not listed.
  const primary = all<{ table: string; name: string }>(
    `select t.name as "table", c.name from (select name from ${tables}) t join pragma_table_info(t.name) c
      where c.pk > 0 order by t.name, c.pk`
  )
  return {
    columns: all<{ table: string; name: string; type: string; notNull: number }>(
      `select t.name as "table", c.name, lower(c.type) as type, c."notnull" as "notNull"
        from (select name from ${tables}) t join pragma_table_info(t.name) c`
    ).map(({ notNull, ...column }) => ({ ...column, notNull: notNull === 1 })),
    keys: [
      ...grouped(primary, ({ table }) => ({ table, name: `${table}_pkey`, kind: "primary" as const })),
      ...grouped(
        keys
          .filter(({ origin }) => origin !== "pk")
          .map((key) => ({ ...key, name: key.column ?? "", index: key.name })),
        ({ index, table, unique }) => ({ table, name: index, kind: unique === 1 ? "unique" : "plain" })
      ),
      ...grouped(
        foreign.map((key) => ({ ...key, name: key.from })),
        ({ id, table }) => ({ table, name: `${table} foreign ${id}`, kind: "foreign" as const })
      )
    ],
    triggers: all<{ name: string }>("select name from sqlite_schema where type = 'trigger'").map(
      ({ name }) => name
    )
  }
}

/** Rows of one column each, as one key. */
const grouped = <Row extends { readonly name: string }>(
  rows: ReadonlyArray<Row>,
  keyOf: (row: Row) => Omit<Key, "columns">
): ReadonlyArray<Key> => {
  const keys = new Map<string, Key>()
  for (const row of rows) {
    const key = keyOf(row)
    const known = keys.get(key.name)
    keys.set(key.name, { ...key, columns: [...(known?.columns ?? []), row.name] })
  }
  return [...keys.values()]
}

const ofPostgres = async (client: pg.Client): Promise<Catalog> => {
  const all = async <Row extends pg.QueryResultRow>(text: string) => (await client.query<Row>(text)).rows
  const tables = `pg_class t on t.relnamespace = 'public'::regnamespace and t.relkind = 'r' and not t.relispartition`
  return {
    columns:
      await all<Column>(`select t.relname as "table", a.attname as name, format_type(a.atttypid, null) as type,
        a.attnotnull as "notNull" from pg_attribute a join ${tables} and t.oid = a.attrelid
        where a.attnum > 0 and not a.attisdropped`),
    keys: [
      ...(await all<Key>(`select t.relname as "table", c.relname as name,
          case when i.indisprimary then 'primary' when i.indisunique then 'unique' else 'plain' end as kind,
          array(select coalesce(a.attname::text, '') from unnest(i.indkey) with ordinality k (attnum, place)
            left join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum order by k.place) as columns
        from pg_index i join ${tables} and t.oid = i.indrelid join pg_class c on c.oid = i.indexrelid`)),
      ...(await all<Key>(`select t.relname as "table", f.conname as name, 'foreign' as kind,
          array(select a.attname::text from unnest(f.conkey) with ordinality k (attnum, place)
            join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum order by k.place) as columns
        from pg_constraint f join ${tables} and t.oid = f.conrelid where f.contype = 'f'`))
    ],
    triggers: (
      await all<{
        name: string
      }>(`select tgname as name from pg_trigger g join ${tables} and t.oid = g.tgrelid
        where not g.tgisinternal`)
    ).map(({ name }) => name)
  }
}

const folder = temporaryFolder("tenants")
const catalogs = new Map<string, Catalog>()
let url = ""
let client: pg.Client

beforeAll(async () => {
  const file = join(folder, "kanon.sqlite")
  await placeMigrated(file)
  const database = new Sqlite(file, { readonly: true })
  catalogs.set("SQLite", ofSqlite(database))
  database.close()
  url = await makeMigrated()
  client = new pg.Client(url)
  await client.connect()
  catalogs.set("Postgres", await ofPostgres(client))
})
afterAll(async () => {
  await client.end()
  await dropDatabase(url)
})

describe.each(["SQLite", "Postgres"])(
  "every tenant table can be distributed by workspace_id on %s",
  (name) => {
    const catalog = () => catalogs.get(name) ?? expect.fail("no such database")
    /** The directory of workspaces is distributed by its own id. */
    const columnOf = (table: string) => (table === "workspace" ? "id" : workspaceColumn)
    const host = new Set<string>([...hostTables, ...programTables])
    const ofTenants = <Row extends { readonly table: string }>(rows: ReadonlyArray<Row>) =>
      rows.filter(({ table }) => !host.has(table))

    it("has one column for it, of one type, and never null", () => {
      const columns = ofTenants(catalog().columns)
      const tables = new Set(columns.map(({ table }) => table))
      expect(tables.size).toBeGreaterThan(50)
      const found = columns.filter(({ name: column, table }) => column === columnOf(table))
      expect(found.map(({ table }) => table).sort()).toEqual([...tables].sort())
      expect(found.filter(({ notNull, type }) => type !== "text" || !notNull)).toEqual([])
      expect(columns.filter(({ name: column }) => column === "workspace_no")).toEqual([])
    })

    it("has the column first in each primary key, unique index and foreign key, and in each index of a tenant", () => {
      const keys = ofTenants(catalog().keys)
      const keyed = new Set(keys.filter(({ kind }) => kind === "primary").map(({ table }) => table))
      expect(new Set(ofTenants(catalog().columns).map(({ table }) => table))).toEqual(keyed)
      const others = keys.filter(({ columns, table }) => columns[0] !== columnOf(table))
      expect(others.filter(({ kind }) => kind !== "plain")).toEqual([])
      expect(others.map((key) => key.name).sort()).toEqual(acrossWorkspaces)
      expect(others.filter(({ table }) => !hostReadableTables.has(table))).toEqual([])
    })

    it("has no triggers", () => {
      expect(catalog().triggers).toEqual([])
    })
  }
)

describe("the policies of tenant tables on Postgres", () => {
  it("are plain comparisons with a setting, without subqueries", async () => {
    const { rows } = await client.query<{ table: string; reads: string; writes: string }>(
      `select tablename as "table", qual as reads, with_check as writes from pg_policies
        where schemaname = 'public' and permissive = 'PERMISSIVE'`
    )
    expect(rows.length).toBeGreaterThan(50)
    for (const { reads, table, writes } of rows) {
      const column = table === "workspace" ? "id" : workspaceColumn
      const own = `(${column} = current_setting('kanon.workspace'::text, true))`
      const reach = `(${own} OR (current_setting('kanon.reach'::text, true) = 'host'::text))`
      expect([table, reads, writes]).toEqual(
        hostReadableTables.has(table) ? [table, reach, reach] : [table, own, own]
      )
    }
  })

  it("narrow the tables of documents to what the readers of a statement may read", async () => {
    const { rows } = await client.query<{ table: string; command: string; reads: string }>(
      `select tablename as "table", cmd as command, qual as reads from pg_policies
        where schemaname = 'public' and permissive = 'RESTRICTIVE' order by tablename`
    )
    // Citus distributes no table with such a policy.
    const { rows: citus } = await client.query("select 1 from pg_extension where extname = 'citus'")
    if (citus.length > 0 && rows.length === 0) return
    expect(rows.map(({ table }) => table)).toEqual([...readerTables].sort())
    for (const { command, reads } of rows)
      expect([command, reads]).toEqual([
        "SELECT",
        expect.stringMatching(/kanon_reads(?:_number)?\(workspace_id, /)
      ])
  })
})
