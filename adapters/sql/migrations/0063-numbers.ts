import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/**
 * Numbers in the place of ids, where an id would be most of a row: a workspace has one, given to it when it is made.
 * Numbers are of one database, and leave it in no export.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* dialect(sql).numberWorkspaces
  yield* sql`create unique index workspace_number on workspace (number)`
})
