import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/** Credentials of workspaces, sealed with a key that the database does not hold. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { clustered } = dialect(sql)
  yield* sql`create table secret (
    workspace_id text not null,
    id text not null,
    sealed text not null,
    created_at text not null,
    primary key (workspace_id, id)
  ) ${clustered}`
})
