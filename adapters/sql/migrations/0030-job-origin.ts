import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** A job remembers the span that asked for it, so that the trace of its run can name it. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table job add column origin text`
})
