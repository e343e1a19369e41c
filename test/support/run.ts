import type { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { hostIds } from "../../adapters/host/ids.js"
import { sqlAnswerStore } from "../../adapters/sql/answers/answering/answer-store.js"
import { sqlPolicyStore } from "../../adapters/sql/answers/policy/policy-store.js"
import { sqlAtomic } from "../../adapters/sql/atomic.js"
import { sqlAccessStore } from "../../adapters/sql/platform/access/access-store.js"
import { sqlAuditLog } from "../../adapters/sql/platform/audit/audit-log.js"
import { sqlWorkspaceStore } from "../../adapters/sql/platform/workspace/workspace-store.js"
import { sqliteClient } from "../../adapters/sqlite/client.js"
import { Caller, Ids, scopeOf, type WorkspaceScope } from "../../core/platform/kernel/index.js"
import { Settings, WorkspaceStore } from "../../core/platform/workspace/index.js"
import { placeMigrated } from "./migrated.js"

export { runEffect } from "../contract/contract-tests.js"

/** The least that every repository needs, over a database: ids, units of work, audit, workspaces. */
export const storesOn = (client: Layer.Layer<SqlClient>) =>
  Layer.mergeAll(
    sqlAtomic,
    sqlAuditLog,
    sqlAnswerStore,
    sqlPolicyStore,
    sqlAccessStore,
    sqlWorkspaceStore
  ).pipe(Layer.provideMerge(hostIds), Layer.provideMerge(client), Layer.orDie)

/** That, over SQLite (in memory by default). */
export const baseLayer = (filename = inMemory) =>
  storesOn(
    filename === inMemory
      ? sqliteClient({ filename })
      : Layer.unwrapEffect(
          Effect.as(
            Effect.promise(() => placeMigrated(filename)),
            sqliteClient({ filename })
          )
        )
  )

const inMemory = ":memory:"

/** Makes a workspace and gives its scope. */
export const makeWorkspace = (
  name = "test",
  settings = Settings.parse({})
): Effect.Effect<WorkspaceScope, never, WorkspaceStore | Ids> =>
  Effect.gen(function* () {
    const id = (yield* Ids).make("workspace")
    yield* (yield* WorkspaceStore).insert({ id, name, settings }, "2026-01-01T00:00:00.000Z")
    return scopeOf(id)
  })

/** Provides a caller of the given workspace. */
export const asCaller =
  (workspace: WorkspaceScope, actor = "local") =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Caller>> =>
    Effect.provideService(effect, Caller, { workspace, actor, activity: "ui" })
