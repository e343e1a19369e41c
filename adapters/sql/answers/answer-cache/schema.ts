import { migration } from "../../migration.js"

/** Cached answers, the documents and entities that each rests on, and counts of cache events. */
export default migration(({ clustered, sql }) => [
  sql`create table answer_cache_entry (
    workspace_id text not null,
    id text not null,
    scope text not null,
    evidence text not null,
    versions text not null,
    question text not null,
    kept text not null,
    size_bytes integer not null,
    created_at text not null,
    used_at text not null,
    expires_at text not null,
    primary key (workspace_id, id)
  )`,
  sql`create index answer_cache_entry_like on answer_cache_entry (workspace_id, scope, evidence)`,
  sql`create index answer_cache_entry_used on answer_cache_entry (workspace_id, used_at)`,
  sql`create index answer_cache_entry_expires on answer_cache_entry (workspace_id, expires_at)`,
  sql`create table answer_cache_document (
    workspace_id text not null,
    document_id text not null,
    entry_id text not null,
    seq bigint not null,
    primary key (workspace_id, document_id, entry_id),
    foreign key (workspace_id, entry_id) references answer_cache_entry (workspace_id, id) on delete cascade
  ) ${clustered}`,
  sql`create index answer_cache_document_entry on answer_cache_document (workspace_id, entry_id)`,
  sql`create table answer_cache_entity (
    workspace_id text not null,
    entity_id text not null,
    entry_id text not null,
    seq bigint not null,
    primary key (workspace_id, entity_id, entry_id),
    foreign key (workspace_id, entry_id) references answer_cache_entry (workspace_id, id) on delete cascade
  ) ${clustered}`,
  sql`create index answer_cache_entity_entry on answer_cache_entity (workspace_id, entry_id)`,
  sql`create table answer_cache_count (
    workspace_id text not null,
    name text not null,
    value bigint not null,
    primary key (workspace_id, name)
  ) ${clustered}`
])
