import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** What each migration said when it was applied, so that one that says something else is noticed. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table migration_checksum (migration_id integer not null primary key, checksum text not null)`
})
