import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/**
 * What a segment of the text index weighs in eight bytes, as SQLite has it: a hundred thousand of the longest passages
 * that may be set are more than fits into the four that `integer` means on Postgres.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* dialect(sql).onPostgres(
    sql`alter table posting_segment alter column live_length type bigint, alter column size_bytes type bigint`
  )
})
