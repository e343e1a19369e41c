import { migration } from "../../migration.js"

/** Titles that people gave their conversations, and the order in which a person's conversations are listed. */
export default migration(({ clustered, sql }) => [
  sql`create table conversation_title (
    workspace_id text not null,
    conversation_id text not null,
    asked_by text not null,
    title text not null,
    updated_at text not null,
    primary key (workspace_id, conversation_id, asked_by)
  ) ${clustered}`,
  sql`create index answer_conversation_asker on answer_conversation (workspace_id, asked_by, created_at)`
])
