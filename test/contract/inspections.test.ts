import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect } from "vitest"
import { postgresStorage } from "../../adapters/postgres/storage.js"
import { sqlJobStore } from "../../adapters/sql/platform/jobs/job-store.js"
import { sqliteStorage } from "../../adapters/sqlite/storage.js"
import { JobStore } from "../../core/platform/jobs/index.js"
import { timestampOf } from "../../core/platform/kernel/index.js"
import { quietSignals } from "../support/graph-vault.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { contractTestsFor } from "./contract-tests.js"
import { storageContract } from "./inspections.js"
import { makeWorkspace } from "./workspace.js"

storageContract("SQLite", () => Layer.provideMerge(sqliteStorage, baseLayer()))
storageContract("Postgres", () => Layer.provideMerge(postgresStorage, postgresBase()))

describe.each([
  ["SQLite", () => baseLayer()],
  ["Postgres", () => postgresBase()]
] as const)("JobStore.inspection, the rebuild lock: %s", (_name, base) => {
  const law = contractTestsFor(() =>
    Layer.provideMerge(sqlJobStore({ isOwnerGone: () => false, signals: quietSignals }), base())
  )

  law("one caller of a workspace holds the lock until it ends or is released", function* () {
    const [{ takeRebuildLock }, scope, other, nowMs] = [
      (yield* JobStore).inspection,
      yield* makeWorkspace,
      yield* makeWorkspace,
      yield* Clock.currentTimeMillis
    ]
    const [longestMs, soon, later] = [100_000, timestampOf(nowMs + 50_000), timestampOf(nowMs + 60_000)]
    const take = (until: string, held: string | null = null, workspace = scope) =>
      takeRebuildLock(workspace, { until, held, longestMs })
    const tries = yield* Effect.all(
      Array.from({ length: 8 }, () => take(soon)),
      { concurrency: 8 }
    )
    expect(tries.filter(Boolean)).toHaveLength(1)
    expect(yield* take(soon, null, other)).toBe(true)
    expect(yield* take(later, timestampOf(nowMs))).toBe(false)
    expect(yield* take(later, soon)).toBe(true)
    expect(yield* take(later)).toBe(false)
    expect(yield* take(timestampOf(nowMs), later)).toBe(true)
    // The lock has ended; and one that was taken before the clock was set back is free.
    expect(yield* take(timestampOf(nowMs + 2 * longestMs))).toBe(true)
    expect(yield* take(soon)).toBe(true)
  })
})

describe("JobStore.inspection: SQLite", () => {
  const isOwnerGone = (owner: string) => owner === "gone"
  const law = contractTestsFor(() =>
    Layer.mergeAll(sqlJobStore({ isOwnerGone, signals: quietSignals })).pipe(Layer.provideMerge(baseLayer()))
  )

  law("finds running jobs whose owner is gone or whose lease has ended, and no others", function* () {
    const [store, inspection, scope, other] = [
      yield* JobStore,
      (yield* JobStore).inspection,
      yield* makeWorkspace,
      yield* makeWorkspace
    ]
    const take = (kind: string, owner: string, leaseMs: number) =>
      Effect.gen(function* () {
        const [job] = yield* store.enqueue(scope, [{ kind }])
        yield* store.claim({ kind, limit: 1, workspaceMax: 1, maxAttempts: 5, owner, leaseMs })
        return job?.id
      })
    yield* take("held", "here", 60_000)
    const lost = [yield* take("left", "gone", 60_000), yield* take("late", "here", -1000)]
    const found = yield* inspection.lost(scope, 9)
    expect(found.map(({ id }) => id).sort()).toEqual(lost.sort())
    expect(yield* inspection.lost(scope, 1)).toHaveLength(1)
    expect(yield* inspection.lost(other, 9)).toEqual([])
  })
})
