import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import { atomically, type UnitOptions } from "../../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../../core/platform/workspace/index.js"
import { databaseFile } from "../../support/jobs.js"
import { baseLayer, makeWorkspace, runEffect } from "../../support/run.js"

const [normal, full] = [1, 2]
const inMemory = 2

describe("a unit of work that need not wait for the disk", () => {
  it("commits without, and leaves every other one as durable as it was, also when it fails", () =>
    runEffect(
      Effect.scoped(
        Effect.gen(function* () {
          const file = yield* databaseFile
          yield* Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const store = yield* WorkspaceStore
            const workspace = yield* makeWorkspace()
            /** How the connection that writes commits, as seen from inside of a unit of work. */
            const level = Effect.map(
              sql<{ synchronous: number }>`pragma synchronous`,
              ([row]) => row?.synchronous
            )
            const writing = (options?: UnitOptions) =>
              atomically(Effect.zipRight(store.advance(workspace, "n", 1), level), options)
            expect(yield* writing()).toBe(full)
            expect(yield* writing({ unsynced: true })).toBe(normal)
            expect(yield* writing()).toBe(full)
            // Statement journals are in memory there, and in SQLite's default place everywhere else.
            const place = Effect.map(
              sql<{ temp_store: number }>`pragma temp_store`,
              ([row]) => row?.temp_store
            )
            expect(yield* atomically(place, { unsynced: true })).toBe(inMemory)
            expect(yield* atomically(place)).toBe(0)
            const failed = yield* Effect.exit(
              atomically(Effect.zipRight(writing(), Effect.fail("no")), { unsynced: true })
            )
            expect(Exit.isFailure(failed)).toBe(true)
            expect(yield* writing()).toBe(full)
            // One that is nested is as durable as the one that it joins.
            expect(yield* atomically(writing({ unsynced: true }))).toBe(full)
            // Side by side each has its own.
            const several = [false, true, false, true].map((unsynced) => writing({ unsynced }))
            expect(yield* Effect.all(several, { concurrency: "unbounded" })).toEqual([
              full,
              normal,
              full,
              normal
            ])
          }).pipe(Effect.provide(baseLayer(file)))
          // Committed data is visible to the next process, which opens the file anew.
          yield* Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const [row] = yield* sql<{ value: number }>`select value from counter where name = 'n'`
            expect(row?.value).toBe(9)
          }).pipe(Effect.provide(baseLayer(file)))
        })
      )
    ))
})
