import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/** How far a running ingest has come, for other processes. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { clustered } = dialect(sql)
  yield* sql`create table indexing_progress (
    workspace_id text not null primary key,
    done integer not null,
    total integer not null,
    holds_until text not null
  ) ${clustered}`
})
