import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { WorkspaceScope } from "../../core/kernel/index.js"
import { contentStamp } from "./content-changes.js"

/** Maximum number of cached workspaces. */
const workspacesMax = 16

/**
 * Caches a value derived only from rows whose changes are stamped (`changing`), and reads it again when the stamp
 * changes. Not used within a unit of work.
 */
export const cachedValue = <Value>(
  sql: SqlClient.SqlClient,
  read: (workspace: WorkspaceScope) => Effect.Effect<Value, SqlError>,
  /** Returns whether a value is small enough to cache. */
  isKept: (value: Value) => boolean = () => true
): ((workspace: WorkspaceScope) => Effect.Effect<Value, SqlError>) => {
  const cache = new Map<WorkspaceScope, { readonly changes: string; readonly value: Value }>()
  return (workspace) =>
    Effect.gen(function* () {
      if (Option.isSome(yield* Effect.serviceOption(SqlClient.TransactionConnection)))
        return yield* read(workspace)
      // Read before the rows, so that a concurrent change invalidates the cached value.
      const changes = yield* contentStamp(sql, workspace)
      const known = cache.get(workspace)
      if (known !== undefined && known.changes === changes) return known.value
      cache.delete(workspace)
      const value = yield* read(workspace)
      if (changes === null || !isKept(value)) return value
      const [oldest] = cache.keys()
      if (cache.size >= workspacesMax && oldest !== undefined) cache.delete(oldest)
      cache.set(workspace, { changes, value })
      return value
    })
}
