import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/** When the work that comes by itself is due next in each workspace, and the job that it led to last. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { clustered } = dialect(sql)
  yield* sql`create table job_cron (
    workspace_id text not null,
    kind text not null,
    next_at text not null,
    job_id text,
    primary key (workspace_id, kind)
  ) ${clustered}`
  yield* sql`create index job_cron_due on job_cron (kind, next_at)`
})
