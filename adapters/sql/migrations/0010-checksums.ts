import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/**
 * CRC-32 of the bytes beside it, so that what a disk has changed is noticed when it is read and not searched. Absent
 * for rows of earlier versions, which are judged by their segment's name alone.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const table of ["posting_directory", "posting_dead", "posting_block"])
    yield* sql`alter table ${sql(table)} add column checksum bigint`
})
