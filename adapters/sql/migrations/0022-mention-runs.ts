import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/**
 * Which run of extraction wrote a mention. A number in the mention, since a job's id would make it a fifth larger; no
 * number for those from before.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { clustered } = dialect(sql)
  yield* sql`create table extraction_run (
    workspace_id text not null,
    number integer not null,
    job_id text not null,
    primary key (workspace_id, number)
  ) ${clustered}`
  yield* sql`create unique index extraction_run_job on extraction_run (workspace_id, job_id)`
  yield* sql`alter table mention add column run integer`
})
