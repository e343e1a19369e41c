import { migration } from "../../migration.js"

/** Content connectors, their sync runs, and the state of each item of a source. */
export default migration(({ blob, clustered, sql }) => [
  // `trashes` marks a deleted connector whose documents are still to be moved to the trash.
  sql`create table content_connector (
    workspace_id text not null,
    id text not null,
    name text not null,
    name_norm text not null,
    kind text not null,
    enabled integer not null,
    config text not null,
    secret_id text,
    schedule text,
    path_prefix text not null,
    next_checkpoint text,
    next_sync_at text,
    created_at text not null,
    updated_at text not null,
    deleted_at text,
    trashes integer not null,
    primary key (workspace_id, id)
  )`,
  sql`create unique index content_connector_name on content_connector (workspace_id, name_norm)
    where deleted_at is null`,
  sql`create table sync_run (
    workspace_id text not null,
    id text not null,
    connector_id text not null,
    job_id text not null,
    mode text not null,
    status text not null,
    dry_run integer not null,
    allow_removals integer not null,
    on_conflict text,
    is_upload integer not null,
    phase text not null,
    crawl_checkpoint text,
    is_complete integer not null,
    has_gaps integer not null,
    seen integer not null,
    unchanged integer not null,
    total integer,
    created integer not null,
    updated integer not null,
    removed integer not null,
    held_removals integer not null,
    changes text not null,
    queued_at text not null,
    started_at text,
    finished_at text,
    primary key (workspace_id, id)
  )`,
  sql`create index sync_run_connector on sync_run (workspace_id, connector_id, id)`,
  sql`create index sync_run_active on sync_run (workspace_id, status, id)
    where finished_at is null`,
  // Failures and warnings of a run, one message a line; an empty item id means the run as a whole.
  sql`create table sync_finding (
    workspace_id text not null,
    run_id text not null,
    severity text not null,
    external_id text not null,
    messages text not null,
    primary key (workspace_id, run_id, severity, external_id)
  ) ${clustered}`,
  sql`create table sync_file (
    workspace_id text not null,
    run_id text not null,
    place integer not null,
    path text not null,
    url text,
    author text,
    modified_at text,
    bytes ${blob},
    primary key (workspace_id, run_id, place)
  )`,
  sql`create table external_item (
    workspace_id text not null,
    connector_id text not null,
    external_id text not null,
    parent_id text,
    path text,
    version text,
    content_hash text,
    document_id text,
    url text,
    is_removed integer not null,
    is_missing integer not null,
    failure_code text,
    failure text,
    warnings text,
    synced_at text not null,
    primary key (workspace_id, connector_id, external_id)
  ) ${clustered}`,
  sql`create index external_item_document on external_item (workspace_id, document_id)
    where document_id is not null`,
  sql`create index external_item_parent on external_item (workspace_id, connector_id, parent_id)
    where parent_id is not null`,
  sql`create index external_item_failing on external_item (workspace_id, connector_id, failure_code)
    where failure_code is not null`,
  sql`create index external_item_missing on external_item (workspace_id, connector_id, is_missing)
    where is_missing = 1`
])
