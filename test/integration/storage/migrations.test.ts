import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Statement from "@effect/sql/Statement"
import { PgClient } from "@effect/sql-pg"
import Sqlite from "better-sqlite3"
import * as Effect from "effect/Effect"
import pg from "pg"
import { afterAll, describe, expect, it } from "vitest"
import { migrateDatabase as migratePostgres } from "../../../adapters/postgres/index.js"
import { knownMigrations, migrationChecksum } from "../../../adapters/sql/migration-checksums.js"
import { migrateDatabase as migrateSqlite } from "../../../adapters/sqlite/index.js"
import { dropDatabase, makeDatabase } from "../../support/postgres.js"
import { baseLayer, makeWorkspace, runEffect } from "../../support/run.js"

const folders: Array<string> = []
const databases: Array<string> = []
afterAll(async () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  for (const url of databases) await dropDatabase(url)
})

/** A database to migrate, and what changes it behind the back of the program. */
interface Place {
  readonly migrate: (options?: { readonly dryRun: boolean }) => ReturnType<typeof migratePostgres>
  readonly change: (statement: string) => Promise<void>
  /** How many tables there are. */
  readonly tables: () => Promise<number>
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  SQLite: async () => {
    const data = mkdtempSync(join(tmpdir(), "kanon-migrate-"))
    folders.push(data)
    const file = join(data, "kanon.sqlite")
    const within = <A>(use: (database: Sqlite.Database) => A): A => {
      const database = new Sqlite(file)
      try {
        return use(database)
      } finally {
        database.close()
      }
    }
    return {
      migrate: (options) => migrateSqlite({ data, ...options }),
      change: async (statement) => within((database) => void database.exec(statement)),
      tables: async () =>
        existsSync(file)
          ? within((database) =>
              database.prepare("select name from sqlite_schema where type = 'table'").all()
            ).length
          : 0
    }
  },
  Postgres: async () => {
    const database = await makeDatabase()
    databases.push(database)
    const ask = async (statement: string) => {
      const client = new pg.Client(database)
      await client.connect()
      try {
        return await client.query(statement)
      } finally {
        await client.end()
      }
    }
    return {
      migrate: (options) => migratePostgres({ database, ...options }),
      change: async (statement) => void (await ask(statement)),
      tables: async () => (await ask("select 1 from pg_tables where schemaname = 'public'")).rows.length
    }
  }
}

describe.each(Object.entries(places))("migrations on %s", (_, open) => {
  it("are told before they are applied, applied once, and nothing is left then", async () => {
    const { migrate, tables } = await open()
    const told = await migrate({ dryRun: true })
    expect(told).toMatchObject({ schema: 0, dryRun: true })
    expect(told.migrations.map(({ id }) => id)).toEqual(knownMigrations.map(({ id }) => id))
    expect(await tables()).toBe(0)
    expect(await migrate()).toEqual({ ...told, dryRun: false })
    expect(await tables()).toBeGreaterThan(40)
    expect(await migrate()).toEqual({
      schema: told.newest,
      newest: told.newest,
      migrations: [],
      repairs: [],
      dryRun: false
    })
  })

  it("are refused by name where another one was applied than this program holds", async () => {
    const { change, migrate } = await open()
    await migrate()
    await change("update migration_checksum set checksum = 'x' where migration_id = 5")
    await expect(migrate()).rejects.toMatchObject({
      code: "data_unreadable",
      message: expect.stringContaining("0005 (graph)")
    })
  })

  it("are refused where one was left out, or a newer program was there", async () => {
    const { change, migrate } = await open()
    await migrate()
    await change("delete from effect_sql_migrations where migration_id = 11")
    await expect(migrate()).rejects.toMatchObject({
      code: "data_unreadable",
      message: expect.stringContaining("0011 (revisions)")
    })
    await change("insert into effect_sql_migrations (migration_id, name) values (9999, 'of_tomorrow')")
    await change("insert into schema_made_by values (9999, '9.9.9')")
    await expect(migrate()).rejects.toMatchObject({
      code: "data_too_new",
      message: expect.stringContaining("Kanon 9.9.9 (schema 9999)")
    })
  })
})

describe("migrations of ten processes at once", () => {
  it("are applied by one of them", async () => {
    const { migrate } = await (places["Postgres"] ?? expect.fail("no such place"))()
    const reports = await Promise.all(Array.from({ length: 10 }, () => migrate()))
    const counts = reports.map(({ migrations }) => migrations.length).sort((a, b) => a - b)
    expect(counts).toEqual([...Array.from({ length: 9 }, () => 0), knownMigrations.length])
  })
})

describe("databases in memory, one after the other in a process", () => {
  it("are of one schema, and hold nothing of each other", async () => {
    const opened = () =>
      runEffect(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const before = yield* sql`select id from workspace`
          yield* makeWorkspace()
          const after = yield* sql`select id from workspace`
          return { before, count: after.length, schema: yield* sql`select * from sqlite_schema` }
        }).pipe(Effect.provide(baseLayer()))
      )
    const first = await opened()
    expect(first.schema.length).toBeGreaterThan(50)
    expect(first).toMatchObject({ before: [], count: 1 })
    // The third is a copy of what the first was before anything was written, as the second is.
    for (const _ of [2, 3]) expect(await opened()).toEqual(first)
  })
})

describe("the checksum of a migration", () => {
  const compilers = [Statement.makeCompilerSqlite(), PgClient.makeCompiler()]
  const sum = (text: string, compiler = Statement.makeCompilerSqlite()) =>
    runEffect(
      migrationChecksum({ run: Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(text)) }, compiler)
    )

  it("is of what it says, not of how that is written", async () => {
    expect(await sum("create table a (b text)")).toBe(await sum("\n  create   table a (b\ttext) "))
    expect(await sum("create table a (b text)")).not.toBe(await sum("create table a (b integer)"))
  })

  it("is another one for each migration that says anything there", async () => {
    for (const compiler of compilers) {
      const sums = await runEffect(Effect.forEach(knownMigrations, (one) => migrationChecksum(one, compiler)))
      const silent = await runEffect(migrationChecksum({ run: Effect.void }, compiler))
      // What is told to SQLite's planner has no words on Postgres; three are for Postgres alone.
      const said = sums.filter((one) => one !== silent)
      expect(said.length).toBeGreaterThanOrEqual(knownMigrations.length - 3)
      expect(new Set(said).size).toBe(said.length)
    }
  })
})
