import { migration } from "../../migration.js"

/** Invitations to a workspace; passkeys of users, and the challenges that are under way. */
export default migration(({ clustered, sql }) => [
  sql`create table invitation (
    workspace_id text not null,
    id text not null,
    hash text not null,
    role text not null,
    user_id text,
    created_by text not null,
    created_at text not null,
    expires_at text not null,
    used_at text,
    used_by text,
    revoked_at text,
    primary key (workspace_id, id)
  ) ${clustered}`,
  sql`create unique index invitation_hash on invitation (workspace_id, hash)`,
  sql`create table passkey (
    id text not null primary key,
    user_id text not null,
    public_key text not null,
    counter bigint not null,
    transports text not null,
    name text not null,
    created_at text not null,
    last_used_at text
  )`,
  sql`create index passkey_user on passkey (user_id)`,
  sql`create table passkey_challenge (
    hash text not null primary key,
    expires_at text not null
  )`
])
