import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { sqliteJobStore } from "../../adapters/sqlite/job-store.js"
import { Listeners } from "../../core/platform/jobs/index.js"
import { baseLayer } from "./run.js"

/** The queue over a database, with nobody listening to any announcement. */
export const jobsLayer = Layer.merge(sqliteJobStore(":memory:"), Layer.succeed(Listeners, {}))

/** The queue over a database, with these listeners. */
export const heardJobsLayer = (listeners: Listeners["Type"]) =>
  Layer.merge(sqliteJobStore(":memory:"), Layer.succeed(Listeners, listeners))

/** One process's view of the queue in this file; each build opens it anew. */
export const queueIn = (filename = ":memory:") =>
  Layer.provideMerge(sqliteJobStore(filename), baseLayer(filename))

/** The name of a database file that does not exist yet; its folder goes with the scope. */
export const databaseFile = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "kanon-jobs-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ),
  (folder) => join(folder, "kanon.db")
)
