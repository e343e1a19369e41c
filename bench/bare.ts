import { join } from "node:path"
import Database from "better-sqlite3"
import pg from "pg"
import { chosen, databaseAt, type Kind } from "./database.js"

type Value = string | number | null
export type BareRow = Readonly<Record<string, Value>>

/** The database of a workspace with nothing of ours between: what the floors of benches read and write. */
export interface Bare {
  readonly kind: Kind
  /** The rows that a statement gives, its values at `?`; it is prepared once. */
  readonly all: (text: string, values: ReadonlyArray<Value>) => Promise<ReadonlyArray<BareRow>>
  /** Does a few statements in one transaction. */
  readonly together: (work: () => Promise<unknown>) => Promise<void>
  /** Puts rows into a table, all or none; columns that a row does not name are left empty. */
  readonly insert: (table: string, rows: Iterable<BareRow>) => Promise<void>
  readonly close: () => Promise<void>
}

/** Opens the database of the workspace whose data folder this is. */
export const openBare = async (data: string): Promise<Bare> =>
  chosen() === "sqlite" ? bareSqlite(join(data, "kanon.sqlite")) : barePostgres(await databaseAt(data))

const together =
  (all: Bare["all"], begin: string): Bare["together"] =>
  async (work) => {
    await all(begin, [])
    await work()
    await all("commit", [])
  }

/** Rows of one statement on Postgres. */
const rowsPerStatement = 5_000

interface ColumnOf {
  readonly name: string
  readonly required: boolean
  readonly isText: boolean
}

/** A row with a value for each column. */
const filled = (columns: ReadonlyArray<ColumnOf>, row: BareRow): ReadonlyArray<Value> =>
  columns.map(({ isText, name, required }) => row[name] ?? (required ? (isText ? "" : 0) : null))

/** Puts rows into a table of SQLite, all or none. */
export const insertRows = (database: Database.Database, table: string, rows: Iterable<BareRow>): void => {
  const columns = database
    .prepare<[], { name: string; type: string; notnull: number }>(
      `select name, type, "notnull" from pragma_table_info('${table}')`
    )
    .all()
    .map(({ name, notnull, type }): ColumnOf => ({ name, required: notnull > 0, isText: type === "text" }))
  const statement = database.prepare<Array<Value>>(
    `insert into ${table} (${columns.map(({ name }) => name).join()}) values (${columns.map(() => "?").join()})`
  )
  database.transaction(() => {
    for (const row of rows) statement.run(...filled(columns, row))
  })()
}

const bareSqlite = (file: string): Bare => {
  const database = new Database(file)
  database.pragma("foreign_keys = off")
  database.pragma("synchronous = full")
  const prepared = new Map<string, Database.Statement<Array<Value>, BareRow>>()
  const all: Bare["all"] = async (text, values) => {
    const statement = prepared.get(text) ?? database.prepare<Array<Value>, BareRow>(text)
    prepared.set(text, statement)
    if (statement.reader) return statement.all(...values)
    statement.run(...values)
    return []
  }
  return {
    kind: "sqlite",
    all,
    together: together(all, "begin immediate"),
    insert: async (table, rows) => insertRows(database, table, rows),
    close: async () => {
      database.close()
    }
  }
}

/** Whole numbers of eight bytes and sums of them come as text otherwise. */
const numeric = new Set([20, 1700])

const barePostgres = async (url: string): Promise<Bare> => {
  const client = new pg.Client({
    connectionString: url,
    types: {
      getTypeParser: (type, format) =>
        numeric.has(type) ? (text: string) => Number(text) : pg.types.getTypeParser(type, format)
    }
  })
  // Ignored, so that the first error is reported and not the closed connection that follows it.
  client.on("error", () => {})
  await client.connect()
  const prepared = new Map<string, { readonly name: string; readonly text: string }>()
  const all: Bare["all"] = async (text, values) => {
    let place = 0
    const statement = prepared.get(text) ?? {
      name: `bare_${prepared.size}`,
      text: text.replace(/\?/g, () => `$${++place}`)
    }
    prepared.set(text, statement)
    return (await client.query<BareRow>({ ...statement, values: [...values] })).rows
  }
  return {
    kind: "postgres",
    all,
    together: together(all, "begin"),
    insert: async (table, rows) => {
      const given = [...rows]
      const { rows: every } = await client.query<ColumnOf & { readonly hasDefault: boolean }>(
        `select column_name as name, is_nullable = 'NO' as required, data_type = 'text' as "isText",
           column_default is not null as "hasDefault"
         from information_schema.columns where table_schema = current_schema() and table_name = $1
           and is_generated = 'NEVER' order by ordinal_position`,
        [table]
      )
      const [first] = given
      const columns = every.filter(
        ({ hasDefault, name, required }) => name in (first ?? {}) || (required && !hasDefault)
      )
      const names = columns.map(({ name }) => name)
      const all = given.map((row) => {
        const values = filled(columns, row)
        return Object.fromEntries(names.map((name, place) => [name, values[place]]))
      })
      await client.query("begin")
      for (let from = 0; from < all.length; from += rowsPerStatement)
        await client.query(
          `insert into ${table} (${names.join()}) select ${names.join()} from json_populate_recordset(null::${table}, $1)`,
          [JSON.stringify(all.slice(from, from + rowsPerStatement))]
        )
      await client.query("commit")
      // The planner of a database that is used knows what is there.
      await client.query(`analyze ${table}`)
    },
    close: () => client.end()
  }
}
