import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "./dialect.js"

/**
 * Has the database itself count, by workspace, what is written into these tables, whoever writes it. Searches
 * remember what they read of them for as long as the count is the same; a test holds that every table either is
 * counted or is none of theirs.
 */
export const countChanges = (
  sql: SqlClient.SqlClient,
  tables: ReadonlyArray<string>,
  workspaceColumn = "workspace_id"
) =>
  Effect.zipRight(
    dialect(sql).prepareCounting(workspaceColumn),
    Effect.forEach(
      tables.flatMap((table) =>
        (["insert", "update", "delete"] as const).map((event) => ({ table, event, workspaceColumn }))
      ),
      dialect(sql).counted,
      { discard: true }
    )
  )
