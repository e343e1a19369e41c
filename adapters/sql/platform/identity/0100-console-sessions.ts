import { migration } from "../../migration.js"

/** Sessions of the console, logins of users at providers of identities, and e-mail addresses that bind the first one. */
export default migration(({ sql }) => [
  sql`create table console_session (
    id text not null primary key,
    hash text not null,
    method text not null,
    is_link integer not null,
    actor text not null,
    user_id text,
    key_id text,
    scopes text,
    home_workspace text not null,
    user_agent text not null,
    created_at text not null,
    last_seen_at text not null,
    expires_at text not null
  )`,
  sql`create unique index console_session_hash on console_session (hash)`,
  sql`create table user_login (
    issuer text not null,
    subject text not null,
    user_id text not null,
    created_at text not null,
    primary key (issuer, subject)
  )`,
  sql`alter table host_user add column email text`,
  sql`create unique index host_user_email on host_user (email)`
])
