import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { toNumber } from "./codec.js"

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
  const isStray = (table: string) =>
    sql`not exists (select 1 from ${sql(owner)} o where o.workspace_id = ${sql(table)}.workspace_id
      and ${sql(`o.${ownerKey}`)} = ${sql(`${table}.${key}`)})`
  return {
    count: (workspace: string) =>
      Effect.forEach(
        tables,
        (table) => sql<{ n: unknown }>`select count(*) as n from ${sql(table)}
          where workspace_id = ${workspace} and ${isStray(table)}`
      ).pipe(
        Effect.map((counts) => counts.reduce((sum, [row]) => sum + toNumber(row?.n), 0)),
        Effect.orDie
      ),
    remove: (workspace: string) =>
      Effect.forEach(
        tables,
        (table) => sql`delete from ${sql(table)} where workspace_id = ${workspace} and ${isStray(table)}`,
        { discard: true }
      ).pipe(Effect.orDie)
  }
}
