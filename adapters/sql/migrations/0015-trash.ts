import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** What was deleted, in the order in which the trash shows it; rows that are live cost nothing here. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index document_trash on document (workspace_id, deleted_at desc, id)
    where deleted_at is not null`
  yield* sql`create index entity_trash on entity (workspace_id, deleted_at desc, id)
    where deleted_at is not null and retired = 0`
  yield* sql`create index entity_merged on entity (workspace_id, merged_into)
    where merged_into is not null and deleted_at is null`
  yield* sql`create index relation_trash on relation (workspace_id, deleted_at desc, id)
    where deleted_at is not null`
})
