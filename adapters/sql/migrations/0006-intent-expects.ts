import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { visitCrashPoint } from "../../host/crash-points.js"

/**
 * What a file operation expects to find at its path: the hash of the file, the empty text where there is none, null
 * where nobody knows (intents of earlier versions).
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table file_intent add column expects text`
  visitCrashPoint("open.migration.insideTransaction")
})
