import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { WorkspaceScope } from "../../core/kernel/index.js"
import { contentStamp } from "./content-changes.js"

/** Workspaces of which something is remembered. */
const workspacesMax = 16

/**
 * Reads something of a workspace that depends on nothing but rows whose changes are stored (`changing`), and
 * reads it again only when the stamp is another. Nothing is kept inside a unit of work.
 */
export const remembered = <Value>(
  sql: SqlClient.SqlClient,
  read: (workspace: WorkspaceScope) => Effect.Effect<Value, SqlError>,
  /** Whether a value is small enough to be kept. */
  isKept: (value: Value) => boolean = () => true
): ((workspace: WorkspaceScope) => Effect.Effect<Value, SqlError>) => {
  const held = new Map<WorkspaceScope, { readonly changes: string; readonly value: Value }>()
  return (workspace) =>
    Effect.gen(function* () {
      if (Option.isSome(yield* Effect.serviceOption(SqlClient.TransactionConnection)))
        return yield* read(workspace)
      // Before the rows: what is written in between makes the stamp of what is read here outdated, never the rows.
      const changes = yield* contentStamp(sql, workspace)
      const known = held.get(workspace)
      if (known !== undefined && known.changes === changes) return known.value
      held.delete(workspace)
      const value = yield* read(workspace)
      if (changes === null || !isKept(value)) return value
      const [oldest] = held.keys()
      if (held.size >= workspacesMax && oldest !== undefined) held.delete(oldest)
      held.set(workspace, { changes, value })
      return value
    })
}
