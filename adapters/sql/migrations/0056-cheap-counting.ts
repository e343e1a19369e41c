import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/**
 * The count of changes is a row that is there since its workspace is: 0020 asked for it with each row that was written,
 * nine tenths of what counting cost on SQLite. Without the row nothing is counted, and nothing remembered.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { countedInPlace } = dialect(sql)
  yield* sql`insert into content_change (workspace_id, changes)
    select id, 0 from workspace where id not in (select workspace_id from content_change)`
  for (const table of [
    "document",
    "chunk",
    "vector_model",
    "posting_segment",
    "posting_directory",
    "posting_dead",
    "posting_block"
  ])
    for (const event of ["insert", "update", "delete"] as const)
      yield* countedInPlace({ table, event, workspaceColumn: "workspace_id" })
})
