import { existsSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import pg from "pg"
import { distributedTables } from "../../adapters/postgres/distribution-layout.js"

/** A workspace seen from outside: by SQL and by the files, with no code of the engine. */
export interface Place {
  readonly vault: string
  readonly data: string
  /** The URL of its database on Postgres; null where that is SQLite in the data folder. */
  readonly database: string | null
}

/** The rows of a database, read by a client of their own. */
export interface Rows {
  /** Values stand for `?`. What takes a field out of JSON is written as SQLite has it. */
  readonly all: <Row>(
    statement: string,
    ...values: ReadonlyArray<string | null>
  ) => Promise<ReadonlyArray<Row>>
  /** Returns damage that the database itself reports; null on Postgres, whose server is not killed. */
  readonly damage: () => string | null
  readonly close: () => Promise<void>
}

/** False where no process has come far enough to make one. */
export const hasRows = ({ data, database }: Place): boolean =>
  database !== null || existsSync(join(data, "kanon.sqlite"))

export const openRows = async (place: Place): Promise<Rows> => {
  if (place.database !== null) return rowsOnPostgres(place.database)
  const database = new Database(join(place.data, "kanon.sqlite"), { readonly: true, fileMustExist: true })
  return {
    all: async <Row>(statement: string, ...values: ReadonlyArray<string | null>) =>
      database.prepare<Array<string | null>, Row>(statement).all(...values),
    damage: () => {
      const integrity = database.pragma("integrity_check", { simple: true })
      return integrity === "ok" ? null : String(integrity)
    },
    close: async () => void database.close()
  }
}

/** Empties tables behind everybody's back. */
export const emptyTables = async (place: Place, tables: ReadonlyArray<string>): Promise<void> => {
  if (place.database === null) {
    const database = new Database(join(place.data, "kanon.sqlite"))
    for (const table of tables) database.exec(`delete from ${table}`)
    database.close()
    return
  }
  const rows = await rowsOnPostgres(place.database)
  for (const table of tables) await rows.all(`delete from ${table}`)
  await rows.close()
}

const rowsOnPostgres = async (url: string): Promise<Rows> => {
  const client = new pg.Client(url)
  await client.connect()
  const { rows: extensions } = await client.query("select 1 from pg_extension where extname = 'citus'")
  const bound = async (statement: string) => {
    if (extensions.length === 0) return statement
    const { rows } = await client.query<{ id: string }>("select id from workspace")
    return boundTo(rows[0]?.id ?? "", statement)
  }
  return {
    all: async (statement, ...values) =>
      (await client.query(await bound(asPostgres(statement)), [...values])).rows,
    damage: () => null,
    close: () => client.end()
  }
}

/** Cuts each distributed table of a select down to the only workspace, because Citus joins no tables across shards. */
const boundTo = (workspace: string, statement: string): string => {
  const named = distributedTables.filter((table) => new RegExp(`\\b${table}\\b`).test(statement))
  if (!statement.startsWith("select") || named.length === 0) return statement
  const cut = named.map((table) => `${table} as (select * from ${table} where workspace_id = '${workspace}')`)
  return `with ${cut.join(", ")} ${statement}`
}

const asPostgres = (statement: string): string => {
  const [first = "", ...rest] = statement.split("?")
  return rest
    .reduce((told, part, place) => `${told}$${place + 1}${part}`, first)
    .replaceAll(/json_extract\(([\w.]+), '\$\.([\w.]+)'\)/g, (_, column: string, path: string) => {
      return `(${column}::json #>> '{${path.replaceAll(".", ",")}}')`
    })
}
