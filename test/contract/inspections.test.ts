import { mkdtempSync, readdirSync, rmSync, truncateSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterAll, describe, expect } from "vitest"
import { postgresStorage } from "../../adapters/postgres/storage.js"
import { sqlDocumentInspection } from "../../adapters/sql/files/documents/document-inspection.js"
import { sqlDocumentStore } from "../../adapters/sql/files/documents/document-store.js"
import { sqlEntityInspection } from "../../adapters/sql/knowledge/entities/entity-inspection.js"
import { sqlEntityStore } from "../../adapters/sql/knowledge/entities/entity-store.js"
import { sqlExtractionStores } from "../../adapters/sql/knowledge/extraction/extraction-store.js"
import { sqlGraphInspection } from "../../adapters/sql/knowledge/graph/graph-inspection.js"
import { sqlGraphStore } from "../../adapters/sql/knowledge/graph/graph-store.js"
import { sqlJobInspection } from "../../adapters/sql/platform/jobs/job-inspection.js"
import { sqlJobStore } from "../../adapters/sql/platform/jobs/job-store.js"
import { sqlPostingInspection } from "../../adapters/sql/search/lexical/posting-inspection.js"
import { sqlPostingStore } from "../../adapters/sql/search/lexical/posting-store.js"
import { sqlVectorInspection } from "../../adapters/sql/search/vectors/vector-inspection.js"
import { sqlVectorStore } from "../../adapters/sql/search/vectors/vector-store.js"
import { sqliteStorage } from "../../adapters/sqlite/storage.js"
import { vectorIndexInspection } from "../../adapters/vectors/inspection.js"
import { autoVectorIndex } from "../../adapters/vectors/vector-index.js"
import { JobInspection, JobStore } from "../../core/platform/jobs/index.js"
import { timestampOf } from "../../core/platform/kernel/index.js"
import { quietSignals } from "../support/graph-vault.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { contractTestsFor } from "./contract-tests.js"
import {
  postingInspectionContract,
  vectorIndexInspectionContract,
  vectorInspectionContract
} from "./index-inspections.js"
import {
  documentInspectionContract,
  entityInspectionContract,
  graphInspectionContract,
  storageContract
} from "./inspections.js"
import { makeWorkspace } from "./workspace.js"

const folder = mkdtempSync(join(tmpdir(), "kanon-inspected-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

vectorIndexInspectionContract(
  "a folder",
  () => Layer.merge(autoVectorIndex({ folder, crossover: 3, worker: null }), vectorIndexInspection(folder)),
  () => {
    const [graph] = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".graph")
    )
    if (graph === undefined) return false
    truncateSync(join(folder, graph), 1000)
    return true
  }
)
vectorIndexInspectionContract(
  "memory",
  () =>
    Layer.merge(autoVectorIndex({ folder: null, crossover: 3, worker: null }), vectorIndexInspection(null)),
  () => false
)
documentInspectionContract("SQLite", () =>
  Layer.provideMerge(Layer.mergeAll(sqlDocumentInspection, sqlDocumentStore), baseLayer())
)
documentInspectionContract("Postgres", () =>
  Layer.provideMerge(Layer.mergeAll(sqlDocumentInspection, sqlDocumentStore), postgresBase())
)
entityInspectionContract("SQLite", () =>
  Layer.provideMerge(Layer.mergeAll(sqlEntityInspection, sqlEntityStore), baseLayer())
)
entityInspectionContract("Postgres", () =>
  Layer.provideMerge(Layer.mergeAll(sqlEntityInspection, sqlEntityStore), postgresBase())
)
graphInspectionContract("SQLite", () =>
  Layer.provideMerge(
    Layer.mergeAll(sqlGraphInspection, sqlGraphStore, sqlExtractionStores, sqlEntityStore, sqlDocumentStore),
    baseLayer()
  )
)
graphInspectionContract("Postgres", () =>
  Layer.provideMerge(
    Layer.mergeAll(sqlGraphInspection, sqlGraphStore, sqlExtractionStores, sqlEntityStore, sqlDocumentStore),
    postgresBase()
  )
)
postingInspectionContract("SQLite", () =>
  Layer.provideMerge(Layer.mergeAll(sqlPostingInspection, sqlPostingStore), baseLayer())
)
vectorInspectionContract("SQLite", () =>
  Layer.provideMerge(Layer.mergeAll(sqlVectorInspection, sqlVectorStore), baseLayer())
)
postingInspectionContract("Postgres", () =>
  Layer.provideMerge(Layer.mergeAll(sqlPostingInspection, sqlPostingStore), postgresBase())
)
vectorInspectionContract("Postgres", () =>
  Layer.provideMerge(Layer.mergeAll(sqlVectorInspection, sqlVectorStore), postgresBase())
)
storageContract("SQLite", () => Layer.provideMerge(sqliteStorage, baseLayer()))
storageContract("Postgres", () => Layer.provideMerge(postgresStorage, postgresBase()))

describe.each([
  ["SQLite", () => baseLayer()],
  ["Postgres", () => postgresBase()]
] as const)("JobInspection, the rebuild lock: %s", (_name, base) => {
  const law = contractTestsFor(() =>
    Layer.provideMerge(sqlJobInspection({ isOwnerGone: () => false }), base())
  )

  law("one caller of a workspace holds the lock until it ends or is released", function* () {
    const [{ takeRebuildLock }, scope, other, nowMs] = [
      yield* JobInspection,
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

describe("JobInspection: SQLite", () => {
  const isOwnerGone = (owner: string) => owner === "gone"
  const law = contractTestsFor(() =>
    Layer.mergeAll(
      sqlJobInspection({ isOwnerGone }),
      sqlJobStore({ isOwnerGone, signals: quietSignals })
    ).pipe(Layer.provideMerge(baseLayer()))
  )

  law("finds running jobs whose owner is gone or whose lease has ended, and no others", function* () {
    const [store, inspection, scope, other] = [
      yield* JobStore,
      yield* JobInspection,
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
