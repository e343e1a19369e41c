import { existsSync } from "node:fs"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import Sqlite from "better-sqlite3"
import * as Effect from "effect/Effect"
import pg from "pg"
import { afterAll, describe, expect, it } from "vitest"
import { migrateDatabase as migratePostgres } from "../../../adapters/postgres/index.js"
import { knownMigrations } from "../../../adapters/sql/migration-state.js"
import { migrateDatabase as migrateSqlite } from "../../../adapters/sqlite/index.js"
import { temporaryFolder } from "../../support/folders.js"
import { dropDatabase, makeDatabase } from "../../support/postgres.js"
import { baseLayer, makeWorkspace, runEffect } from "../../support/run.js"

const databases: Array<string> = []
afterAll(async () => {
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
    const data = temporaryFolder("migrate")
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
  it("are reported before they are applied, and applied once", async () => {
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

  it("are refused by name if another one of that number was applied", async () => {
    const { change, migrate } = await open()
    await migrate()
    await change("update effect_sql_migrations set name = 'vectors_of_old' where migration_id = 5")
    await expect(migrate()).rejects.toMatchObject({
      code: "data_unreadable",
      message: expect.stringMatching(/0005 \(\w+\) is "vectors_of_old" in the database/)
    })
  })

  it("are refused where one was left out, or a newer program was there", async () => {
    const { change, migrate } = await open()
    await migrate()
    await change("delete from effect_sql_migrations where migration_id = 8")
    await expect(migrate()).rejects.toMatchObject({
      code: "data_unreadable",
      message: expect.stringContaining("0008 (vectors)")
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
