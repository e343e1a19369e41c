import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/** What the models of a workspace used per month. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { clustered } = dialect(sql)
  yield* sql`create table model_usage (
    workspace_id text not null,
    month text not null,
    input_tokens bigint not null,
    output_tokens bigint not null,
    cost_usd_1e10 bigint not null,
    primary key (workspace_id, month)
  ) ${clustered}`
})
