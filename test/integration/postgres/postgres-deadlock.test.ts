import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { postgresClient } from "../../../adapters/postgres/client.js"
import { dropDatabase, makeMigrated } from "../../support/postgres.js"

describe("a statement that meets another transaction", () => {
  let url = ""
  beforeAll(async () => {
    url = await makeMigrated()
  })
  afterAll(() => dropDatabase(url))

  it.each(["alone", "in a unit of work"])("%s: is undone by Postgres and done again", async (how) => {
    const runtime = ManagedRuntime.make(postgresClient({ url }))
    const other = new pg.Client(url)
    const watcher = new pg.Client(url)
    await Promise.all([other.connect(), watcher.connect()])
    const waiting = async () => {
      const { rows } = await watcher.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
      )
      return rows.length
    }
    try {
      await other.query("drop table if exists shelf")
      await other.query("create table shelf (place int primary key, books int)")
      await other.query("insert into shelf values (1, 0), (2, 0)")
      // Postgres aborts the transaction that first checks for a deadlock: the long timeout here makes it ours.
      await other.query("set deadlock_timeout = '60s'")
      await other.query("begin")
      await other.query("update shelf set books = books + 10 where place = 2")
      const both = Effect.flatMap(SqlClient.SqlClient, (sql) => {
        const statement = sql`update shelf set books = books + 1 where place in (1, 2)`
        return how === "alone" ? statement : sql.withTransaction(statement)
      })
      const done = runtime.runPromise(both)
      await expect.poll(waiting).toBe(1)
      await other.query("update shelf set books = books + 10 where place = 1")
      await other.query("commit")
      await done
      const { rows } = await other.query("select books from shelf order by place")
      expect(rows).toEqual([{ books: 11 }, { books: 11 }])
    } finally {
      await Promise.all([other.end(), watcher.end()])
      await runtime.dispose()
    }
  })
})
