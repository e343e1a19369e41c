import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Documents that were converted from files of other formats: their media type, the file's hash, the original. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table document add column media_type text`
  yield* sql`alter table document add column file_hash text`
  yield* sql`alter table document add column source text`
  yield* sql`alter table chunk add column page integer`
})
