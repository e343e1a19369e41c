import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { dialect } from "./dialect.js"

/** The workspace whose lock the unit of work took when it began; null for none. */
export class WorkspaceLockHeld extends Context.Reference<WorkspaceLockHeld>()("kanon/sql/TurnTaken", {
  defaultValue: (): string | null => null
}) {}

/** Takes the lock of a workspace (see `turn` of the dialect), unless the unit of work already holds it. */
export const withWorkspaceLock =
  (sql: SqlClient.SqlClient) =>
  (workspace: string): Effect.Effect<unknown, SqlError> =>
    Effect.withFiberRuntime((fiber) =>
      Context.get(fiber.currentContext, WorkspaceLockHeld) === workspace
        ? Effect.void
        : dialect(sql).turn(workspace)
    )
