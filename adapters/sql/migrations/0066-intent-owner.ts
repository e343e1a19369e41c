import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** A file operation remembers the process that noted it: while that lives, a start of another leaves it to it. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table file_intent add column owner text`
})
