import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/** Calibrations that were fitted for a workspace. At most one of them is active. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { clustered } = dialect(sql)
  yield* sql`create table calibration (
    workspace_id text not null,
    version text not null,
    artefact text not null,
    created_by text not null,
    created_at text not null,
    active integer not null,
    primary key (workspace_id, version)
  ) ${clustered}`
})
