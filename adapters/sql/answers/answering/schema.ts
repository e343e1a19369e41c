import { migration } from "../../migration.js"

/** Answers as they were given, and what each cites. */
export default migration(({ clustered, sql }) => [
  sql`create table answer (
    workspace_id text not null,
    id text not null,
    question text not null,
    answer text not null,
    asked_by text not null,
    activity text not null,
    created_at text not null,
    primary key (workspace_id, id)
  )`,
  sql`create index answer_created on answer (workspace_id, created_at)`,
  sql`create table answer_source (
    workspace_id text not null,
    document_id text not null,
    answer_id text not null,
    chunk_id text not null,
    primary key (workspace_id, document_id, answer_id, chunk_id)
  ) ${clustered}`,
  sql`create index answer_source_answer on answer_source (workspace_id, answer_id)`
])
