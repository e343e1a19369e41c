import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../../core/platform/kernel/index.js"
import { toNumber } from "./codec.js"

/** Counts and removes rows of some tables whose owner, a row of another table, does not exist. */
export const orphansOf = (
  sql: SqlClient.SqlClient,
  {
    key,
    owner,
    ownerKey,
    tables
  }: {
    readonly tables: ReadonlyArray<string>
    readonly key: string
    readonly owner: string
    readonly ownerKey: string
  }
) => {
  const orphans = (workspace: WorkspaceScope, table: string) =>
    sql`from ${sql(table)} where workspace_id = ${workspace}
      and not exists (select 1 from ${sql(owner)} o where o.workspace_id = ${workspace}
        and ${sql(`o.${ownerKey}`)} = ${sql(`${table}.${key}`)})`
  return {
    count: (workspace: WorkspaceScope) =>
      Effect.forEach(
        tables,
        (table) => sql<{ n: unknown }>`select count(*) as n ${orphans(workspace, table)}`
      ).pipe(
        Effect.map((counts) => counts.reduce((sum, [row]) => sum + toNumber(row?.n), 0)),
        Effect.orDie
      ),
    remove: (workspace: WorkspaceScope) =>
      Effect.forEach(tables, (table) => sql`delete ${orphans(workspace, table)}`, { discard: true }).pipe(
        Effect.orDie
      )
  }
}
