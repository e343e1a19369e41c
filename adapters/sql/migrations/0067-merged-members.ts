import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/**
 * What was merged into an entity is found among the few that were merged, not among all entities. The index says whole
 * what is asked of it: SQLite would rather walk along the table than look from the index into it.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index entity_members on entity (workspace_id, head_id, merged_into)
    where merged_into is not null`
})
