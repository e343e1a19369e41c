import { migration } from "../../migration.js"

/** Users and API keys of the host, memberships of workspaces, and the workspaces that a key reaches. */
export default migration(({ clustered, sql }) => [
  sql`create table host_user (
    id text not null primary key,
    display_name text not null,
    created_at text not null
  )`,
  sql`create table api_key (
    id text not null primary key,
    hash text not null,
    kind text not null,
    name text not null,
    prefix text not null,
    scopes text not null,
    reaches_all integer not null,
    user_id text,
    created_at text not null,
    created_by text not null,
    last_used_at text,
    expires_at text,
    revoked_at text,
    replaced_by text
  )`,
  sql`create unique index api_key_hash on api_key (hash)`,
  sql`create table membership (
    workspace_id text not null,
    user_id text not null,
    role text not null,
    created_at text not null,
    primary key (workspace_id, user_id)
  ) ${clustered}`,
  sql`create table key_grant (
    workspace_id text not null,
    key_id text not null,
    primary key (workspace_id, key_id)
  ) ${clustered}`,
  // A key is presented before its workspaces are known, so this index does not start with one.
  sql`create index key_grant_key on key_grant (key_id)`
])
