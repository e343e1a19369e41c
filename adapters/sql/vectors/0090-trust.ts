import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** The share of its weight that a model has earned; null before it was measured. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table vector_model add column trust double precision`
})
