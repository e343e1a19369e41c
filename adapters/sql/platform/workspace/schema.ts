import { migration } from "../../migration.js"

/** Workspaces, their counters, the stamp of their searchable content, and where their files are. */
export default migration(({ clustered, sql }) => [
  // Version of the program that applied each migration; an older program names it in its message to the user.
  sql`create table schema_made_by (
    migration_id integer not null primary key,
    program text not null
  )`,
  // The directory of workspaces: its `id` is the `workspace_id` of every other table.
  sql`create table workspace (
    id text not null primary key,
    name text not null,
    settings text not null,
    revision integer not null default 1,
    trail_from bigint not null default 0,
    created_at text not null,
    updated_at text not null
  )`,
  sql`create table counter (
    workspace_id text not null,
    name text not null,
    value integer not null,
    primary key (workspace_id, name)
  ) ${clustered}`,
  // Another number after each transaction that changes what searches read. Caches compare it.
  sql`create table content_change (
    workspace_id text not null primary key,
    changes bigint not null
  ) ${clustered}`,
  sql`create table workspace_vault (
    workspace_id text not null primary key,
    folder text not null
  )`,
  // The file store for which the first workspace was created, where no data folder records it.
  sql`create table vault_home (
    workspace_id text not null primary key,
    place text not null
  )`
])
