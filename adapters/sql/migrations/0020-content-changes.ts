import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { countChanges } from "../content-changes.js"
import { dialect } from "../dialect.js"

/** How often what searches read has changed in each workspace. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { clustered } = dialect(sql)
  yield* sql`create table content_change (
    workspace_id text primary key,
    changes bigint not null
  ) ${clustered}`
  yield* sql`insert into content_change (workspace_id, changes) select id, 0 from workspace`
  yield* countChanges(sql, ["workspace"], "id")
  yield* countChanges(sql, [
    "document",
    "chunk",
    "vector_model",
    "posting_segment",
    "posting_directory",
    "posting_dead",
    "posting_block"
  ])
})
