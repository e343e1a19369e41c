import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { countChanges } from "../content-changes.js"
import { dialect } from "../dialect.js"

/** Databases on Postgres that were made before changes were counted there; 0020 says what is counted. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  dialect(sql).onPostgres(
    Effect.gen(function* () {
      yield* countChanges(sql, ["workspace"], "id")
      yield* countChanges(sql, [
        "document",
        "chunk",
        "vector_model",
        "posting_segment",
        "posting_directory",
        "posting_dead",
        "posting_block"
      ])
    })
  )
)
