import { migration } from "../../migration.js"

/** Proposed documents with their sources and their state. */
export default migration(({ clustered, sql }) => [
  sql`create table proposal (
    workspace_id text not null,
    id text not null,
    topic text not null,
    path text not null,
    path_key text not null,
    title text not null,
    content text not null,
    base_version bigint,
    doc_id text,
    sources text not null,
    dropped bigint not null,
    status text not null,
    proposed_by text not null,
    note text,
    created_at text not null,
    reviewed_by text,
    review_note text,
    reviewed_at text,
    primary key (workspace_id, id)
  ) ${clustered}`,
  sql`create index proposal_status on proposal (workspace_id, status, created_at)`,
  sql`create index proposal_path on proposal (workspace_id, path_key)`
])
