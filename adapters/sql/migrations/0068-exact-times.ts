import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/**
 * The time of a file's last change in eight bytes, as SQLite has it: in the four that `real` means on Postgres no time
 * comes back as it was, so that each sync took every file for changed and read it.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* dialect(sql).onPostgres(sql`alter table document alter column mtime_ms type double precision`)
})
