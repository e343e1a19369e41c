import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/** Which answers belong to one conversation, so that a question can be completed from those before it. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { clustered } = dialect(sql)
  yield* sql`create table answer_conversation (
    workspace_id text not null,
    conversation_id text not null,
    asked_by text not null,
    created_at text not null,
    answer_id text not null,
    primary key (workspace_id, conversation_id, asked_by, created_at, answer_id)
  ) ${clustered}`
  yield* sql`create index answer_conversation_answer on answer_conversation (workspace_id, answer_id)`
})
