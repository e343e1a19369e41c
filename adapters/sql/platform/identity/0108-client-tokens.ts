import { migration } from "../../migration.js"

/** Codes and tokens by which assistants act for people; `bound` is JSON. */
export default migration(({ sql }) => [
  sql`create table client_token (
    workspace_id text not null,
    hash text not null,
    kind text not null,
    session_id text,
    bound text not null,
    expires_at text not null,
    used_at text,
    primary key (workspace_id, hash)
  )`,
  sql`create index client_token_session on client_token (workspace_id, session_id)`,
  sql`create index client_token_end on client_token (workspace_id, expires_at)`
])
