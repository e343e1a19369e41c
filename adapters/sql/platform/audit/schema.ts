import { migration } from "../../migration.js"

/** The audit trail, a chain of hashes per workspace, and the last event of each chain. */
export default migration(({ clustered, sql }) => [
  sql`create table audit (
    workspace_id text not null,
    seq bigint not null,
    id text not null,
    action text not null,
    actor text not null,
    activity text not null,
    subject_id text not null,
    at text not null,
    details text not null,
    request_id text,
    prev_hash text not null,
    hash text not null,
    primary key (workspace_id, seq)
  ) ${clustered}`,
  sql`create unique index audit_id on audit (workspace_id, id)`,
  sql`create index audit_subject on audit (workspace_id, subject_id, seq)`,
  sql`create table audit_head (
    workspace_id text not null primary key,
    seq bigint not null,
    hash text not null
  ) ${clustered}`
])
