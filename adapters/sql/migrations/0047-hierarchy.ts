import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** The few edges that make a vocabulary a tree, in the order in which an export walks them. */
export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`create index edge_hierarchy on edge (workspace_id, src_id, type, dst_id)
    where type in ('broader', 'narrower')`
)
