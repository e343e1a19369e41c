import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/** Files of workspaces whose vault is the database itself. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { blob } = dialect(sql)
  // `area` is file, staged or trash; `name` is the path, the handle or the document id.
  yield* sql`create table vault_file (
    workspace_id text not null,
    area text not null,
    name text not null,
    bytes ${blob} not null,
    size_bytes integer not null,
    changed_ms double precision not null,
    primary key (workspace_id, area, name)
  )`
})
