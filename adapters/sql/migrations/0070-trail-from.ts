import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/**
 * Behind which place of its trail a workspace has been here: exports carry the trail, and neither keys nor members. Of
 * workspaces from before this was noted nobody knows whether they were imported, so they count as come now.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table workspace add column trail_from bigint not null default 0`
  yield* sql`update workspace set trail_from =
    coalesce((select max(a.seq) from audit a where a.workspace_id = workspace.id), 0)`
})
