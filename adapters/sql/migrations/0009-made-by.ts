import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Which version of the program brought the schema to which migration: what an older program tells its user. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table schema_made_by (migration_id integer not null primary key, program text not null)`
})
