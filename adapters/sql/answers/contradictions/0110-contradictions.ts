import { migration } from "../../migration.js"

/** Contradictions between documents, and the feed position of documents up to which they were looked for. */
export default migration(({ clustered, sql }) => [
  sql`create table contradiction (
    workspace_id text not null,
    id text not null,
    pair_key text not null,
    kind text not null,
    subject text not null,
    attribute text not null,
    sides text not null,
    first_document text not null,
    second_document text not null,
    status text not null,
    reason text,
    settled_by text,
    first_seen_at text not null,
    primary key (workspace_id, id)
  ) ${clustered}`,
  sql`create unique index contradiction_pair on contradiction (workspace_id, pair_key)`,
  sql`create index contradiction_first on contradiction (workspace_id, first_document)`,
  sql`create index contradiction_second on contradiction (workspace_id, second_document)`,
  sql`create table contradiction_state (
    workspace_id text not null primary key,
    position bigint not null
  ) ${clustered}`
])
