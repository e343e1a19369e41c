import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import numbers from "../../adapters/sql/migrations/0063-numbers.js"
import { atomically, Ids, type WorkspaceScope } from "../../core/kernel/index.js"
import { Settings, WorkspaceStore } from "../../core/workspace/index.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer, makeWorkspace, runEffect } from "../support/run.js"

const databases = { SQLite: () => baseLayer(), Postgres: () => postgresBase() }

/** The numbers of workspaces, by their ids. */
const numbersOf = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ id: WorkspaceScope; number: number }>`select id, number from workspace`,
    (rows) => new Map(rows.map(({ id, number }) => [id, number]))
  )
)

describe.each(Object.entries(databases))("numbers of workspaces on %s", (_, base) => {
  it("are each workspace's own, however many are made at once, and stay", () =>
    runEffect(
      Effect.gen(function* () {
        const [store, ids] = [yield* WorkspaceStore, yield* Ids]
        const made = yield* Effect.all(
          Array.from({ length: 12 }, () => atomically(makeWorkspace())),
          { concurrency: 6 }
        )
        const undone = { id: ids.make("workspace"), name: "undone", settings: Settings.parse({}) }
        yield* Effect.flip(
          atomically(Effect.zipRight(store.insert(undone, "2026-01-01T00:00:00.000Z"), Effect.fail("no")))
        )
        const before = yield* numbersOf
        expect([...before.keys()].sort()).toEqual([...made].sort())
        expect(new Set(before.values()).size).toBe(made.length)
        expect([...before.values()].every((number) => Number.isInteger(number) && number > 0)).toBe(true)
        const last = yield* makeWorkspace()
        const after = yield* numbersOf
        expect(new Set(after.values()).size).toBe(made.length + 1)
        after.delete(last)
        expect(after).toEqual(before)
      }).pipe(Effect.provide(base()))
    ))

  it("are given to those of before", () =>
    runEffect(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const old = [yield* makeWorkspace(), yield* makeWorkspace()]
        yield* sql`drop index workspace_number`
        yield* sql`alter table workspace drop column number`
        yield* numbers
        const all = [...old, yield* makeWorkspace()]
        const found = yield* numbersOf
        expect([...found.keys()].sort()).toEqual(all.sort())
        expect(new Set(found.values()).size).toBe(3)
        expect([...found.values()].every((number) => Number.isInteger(number) && number > 0)).toBe(true)
      }).pipe(Effect.provide(base()))
    ))
})
