import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/** Answers as they were given, and what each cites. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { clustered } = dialect(sql)
  yield* sql`create table answer (
    workspace_id text not null,
    id text not null,
    question text not null,
    answer text not null,
    asked_by text not null,
    activity text not null,
    created_at text not null,
    primary key (workspace_id, id)
  )`
  yield* sql`create index answer_created on answer (workspace_id, created_at)`
  yield* sql`create table answer_source (
    workspace_id text not null,
    document_id text not null,
    answer_id text not null,
    chunk_id text not null,
    primary key (workspace_id, document_id, answer_id, chunk_id)
  ) ${clustered}`
  yield* sql`create index answer_source_answer on answer_source (workspace_id, answer_id)`
})
