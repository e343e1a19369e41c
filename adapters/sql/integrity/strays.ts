import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../../../core/kernel/index.js"
import { toNumber } from "../codec.js"
import { ofWorkspace } from "../id-numbers.js"

/** Rows of some tables whose owner is gone: the row of another table that a column of theirs names. */
export const straysOf = (
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
  const strays = (workspace: WorkspaceScope, table: string) =>
    sql`from ${sql(table)} where ${ofWorkspace(sql, workspace, table)}
      and not exists (select 1 from ${sql(owner)} o where o.workspace_id = ${workspace}
        and ${sql(`o.${ownerKey}`)} = ${sql(`${table}.${key}`)})`
  return {
    count: (workspace: WorkspaceScope) =>
      Effect.forEach(
        tables,
        (table) => sql<{ n: unknown }>`select count(*) as n ${strays(workspace, table)}`
      ).pipe(
        Effect.map((counts) => counts.reduce((sum, [row]) => sum + toNumber(row?.n), 0)),
        Effect.orDie
      ),
    remove: (workspace: WorkspaceScope) =>
      Effect.forEach(tables, (table) => sql`delete ${strays(workspace, table)}`, { discard: true }).pipe(
        Effect.orDie
      )
  }
}
