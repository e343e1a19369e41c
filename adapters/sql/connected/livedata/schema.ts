import { migration } from "../../migration.js"

/** Live data: connectors, named queries with their revisions, and executions. */
export default migration(({ sql }) => [
  sql`create table data_connector (
    workspace_id text not null,
    id text not null,
    name text not null,
    name_norm text not null,
    kind text not null,
    enabled integer not null,
    settings text not null,
    limits text not null,
    secret_id text,
    created_at text not null,
    updated_at text not null,
    deleted_at text,
    primary key (workspace_id, id)
  )`,
  sql`create unique index data_connector_name on data_connector (workspace_id, name_norm)
    where deleted_at is null`,
  sql`create table data_query (
    workspace_id text not null,
    id text not null,
    slug text not null,
    revision integer not null,
    definition text not null,
    primary key (workspace_id, id)
  )`,
  sql`create unique index data_query_slug on data_query (workspace_id, slug)`,
  sql`create table data_query_revision (
    workspace_id text not null,
    query_id text not null,
    revision integer not null,
    definition text not null,
    activity text not null,
    changed_by text not null,
    created_at text not null,
    primary key (workspace_id, query_id, revision)
  )`,
  sql`create table data_call (
    workspace_id text not null,
    id text not null,
    query_id text not null,
    query_revision integer not null,
    connector_id text not null,
    executed_at text not null,
    answer_id text,
    record text not null,
    rows_kept text,
    primary key (workspace_id, id)
  )`,
  sql`create index data_call_query on data_call (workspace_id, query_id, id)`,
  sql`create index data_call_rows on data_call (workspace_id, executed_at) where rows_kept is not null`
])
