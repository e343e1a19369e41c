import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** For which place of files the first workspace of a database was begun, where no data folder of one host says so. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table vault_home (workspace_id text primary key, place text not null)`
})
