import { existsSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import type * as SqlClient from "@effect/sql/SqlClient"
import Sqlite from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import pg from "pg"
import { z } from "zod"
import { makeKeyFile, secretKeyFile } from "../../adapters/host/secret-keys.js"
import { postgresClient } from "../../adapters/postgres/client.js"
import {
  createEngine as engineOnPostgres,
  importWorkspace as importIntoPostgres,
  postgresPorts
} from "../../adapters/postgres/index.js"
import { sqliteClient } from "../../adapters/sqlite/client.js"
import {
  type Engine,
  type EngineOptions,
  type ExportSource,
  createEngine as engineOnSqlite,
  type ImportOptions,
  type ImportReport,
  importWorkspace as importIntoSqlite,
  sqlitePorts
} from "../../adapters/sqlite/index.js"
import type { Ports } from "../../core/ports.js"
import { placeMigrated } from "./migrated.js"
import { testDatabase } from "./runs.js"

export type { Engine }

const inMemory = ":memory:"

/** Databases of this process, by the data folder that they stand for: a test opens one folder more than once. */
const databases = new Map<string, { readonly url: Promise<string>; readonly under: string }>()

/** The URL of the database of a data folder; a new one where the data are to be in memory. */
const databaseAt = async (data: string): Promise<string> => {
  // Loaded where it is asked for: programs that tests start come here too.
  const { makeMigrated } = await import("./postgres.js")
  if (data === inMemory) return makeMigrated()
  const folder = resolve(data)
  const known = databases.get(folder)
  if (known !== undefined) return known.url
  const url = makeMigrated()
  databases.set(folder, { url, under: whatIsThere(dirname(folder)) })
  await sweep()
  return url
}

/** Drops the databases of tests whose folders are gone: a long run makes thousands, which would fill a disk. */
const sweep = async () => {
  for (const [folder, { under, url }] of databases)
    if (!existsSync(under)) {
      databases.delete(folder)
      await drop(await url)
    }
}

/** The folder, or the one nearest above it that is there. */
const whatIsThere = (folder: string): string => (existsSync(folder) ? folder : whatIsThere(dirname(folder)))

const drop = async (url: string) => (await import("./postgres.js")).dropDatabase(url)

const onPostgres = async ({ data, thread: _, ...options }: EngineOptions) => {
  const folder = data ?? join(options.vault, ".kanon")
  const database = await databaseAt(folder)
  // Few connections: many engines of many tests share one server.
  return { ...options, database, connectionsMax: 4, ...(folder === inMemory ? {} : { data: folder }) }
}

/** On Postgres the key that seals credentials must be configured. */
const withKey = async (options: EngineOptions) => {
  const settings = await onPostgres(options)
  if ("data" in settings) makeKeyFile(join(settings.data, secretKeyFile))
  return settings
}

/** An engine on the database that this run of the tests is about, SQLite unless another project says otherwise. */
export const createEngine = async (options: EngineOptions): Promise<Engine> => {
  if (testDatabase === "sqlite") {
    const { data = join(options.vault, ".kanon") } = options
    if (data !== inMemory && existsSync(options.vault)) await placeMigrated(join(data, "kanon.sqlite"))
    return engineOnSqlite(options)
  }
  const settings = await withKey(options)
  const engine = await engineOnPostgres(settings)
  if (options.data !== inMemory) return engine
  return { ...engine, close: () => engine.close().then(() => drop(settings.database)) }
}

/** A data folder as a server is told of it, with the URL of its database where that is not in the folder. */
export const placeOf = async (
  data: string
): Promise<{ readonly data: string; readonly database?: string }> =>
  testDatabase === "sqlite" ? { data } : { data, database: await databaseAt(data) }

/** The database of a data folder, by itself. */
export const clientOf = async (data: string): Promise<Layer.Layer<SqlClient.SqlClient>> =>
  testDatabase === "sqlite"
    ? sqliteClient({ filename: join(data, "kanon.sqlite") })
    : postgresClient({ url: await databaseAt(data) })

/** Returns the environment that names a new database to commands; empty when they keep their data in a folder. */
export const commandEnvironment = async (): Promise<Readonly<Record<string, string>>> =>
  testDatabase === "sqlite" ? {} : { KANON_DATABASE_URL: await databaseAt(inMemory) }

/** All ports on that database. */
export const portsOf = (options: EngineOptions): Layer.Layer<Ports> =>
  testDatabase === "sqlite"
    ? sqlitePorts(options)
    : Layer.unwrapScoped(
        Effect.map(
          Effect.acquireRelease(
            Effect.promise(() => withKey(options)),
            ({ database }) => (options.data === inMemory ? Effect.promise(() => drop(database)) : Effect.void)
          ),
          postgresPorts
        )
      )

/** Runs a statement behind the back of whoever has the data of this folder open; gives its rows. */
export const rowsBeside = async (data: string, statement: string): Promise<ReadonlyArray<unknown>> => {
  if (testDatabase === "sqlite") {
    const database = new Sqlite(join(data, "kanon.sqlite"))
    try {
      const prepared = database.prepare(statement)
      if (prepared.reader) return prepared.all()
      prepared.run()
      return []
    } finally {
      database.close()
    }
  }
  const client = new pg.Client(await databaseAt(data))
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

/** Every row of every table that belongs to a workspace, by table, in no order. */
export const tenantRows = async (
  data: string,
  workspace: string
): Promise<Readonly<Record<string, ReadonlyArray<unknown>>>> => {
  if (testDatabase === "sqlite") return rowsOnSqlite(join(data, "kanon.sqlite"), workspace)
  const client = new pg.Client(await databaseAt(data))
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      `select table_name as name from information_schema.columns
        where table_schema = current_schema() and column_name = 'workspace_id' order by 1`
    )
    const found: Array<readonly [string, ReadonlyArray<unknown>]> = []
    for (const { name } of rows)
      found.push([
        name,
        (await client.query(`select * from ${name} t where workspace_id = $1 order by t::text`, [workspace]))
          .rows
      ])
    return Object.fromEntries(found)
  } finally {
    await client.end()
  }
}

const rowsOnSqlite = (file: string, workspace: string) => {
  const database = new Sqlite(file, { readonly: true })
  try {
    const tables = z.array(z.object({ name: z.string() })).parse(
      database
        .prepare(
          `select m.name from sqlite_master m where m.type = 'table' and exists (
            select 1 from pragma_table_info(m.name) c where c.name = 'workspace_id')`
        )
        .all()
    )
    return Object.fromEntries(
      tables.map(({ name }) => [
        name,
        database.prepare(`select * from "${name}" where workspace_id = ?`).all(workspace)
      ])
    )
  } finally {
    database.close()
  }
}

/** An import into that database. */
export const importWorkspace = async (source: ExportSource, options: ImportOptions): Promise<ImportReport> =>
  testDatabase === "sqlite"
    ? importIntoSqlite(source, options)
    : importIntoPostgres(source, await onPostgres(options))
