import { migration } from "../../migration.js"

/** Answers by conversation, so that a question can be completed from the ones before it. */
export default migration(({ clustered, sql }) => [
  sql`create table answer_conversation (
    workspace_id text not null,
    conversation_id text not null,
    asked_by text not null,
    created_at text not null,
    answer_id text not null,
    primary key (workspace_id, conversation_id, asked_by, created_at, answer_id)
  ) ${clustered}`,
  sql`create index answer_conversation_answer on answer_conversation (workspace_id, answer_id)`
])
