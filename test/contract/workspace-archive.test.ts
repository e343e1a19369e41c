import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { postgresPorts } from "../../adapters/postgres/index.js"
import { sqlitePorts } from "../../adapters/sqlite/index.js"
import { migratedDatabase } from "../support/postgres.js"
import { workspaceArchiveContract } from "./workspace-archive.js"

/** A folder that is gone with its layer. */
const inFolder = <A, E>(use: (folder: string) => Layer.Layer<A, E>) =>
  Layer.unwrapScoped(
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "kanon-archive-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
      ),
      use
    )
  )

workspaceArchiveContract("SQLite", () => inFolder((folder) => sqlitePorts({ vault: folder, data: folder })))
workspaceArchiveContract("SQLite in memory", () =>
  inFolder((folder) => sqlitePorts({ vault: folder, data: ":memory:" }))
)
workspaceArchiveContract("Postgres", () =>
  Layer.unwrapScoped(
    Effect.map(migratedDatabase, (database) =>
      inFolder((folder) => postgresPorts({ vault: folder, database }))
    )
  )
)
