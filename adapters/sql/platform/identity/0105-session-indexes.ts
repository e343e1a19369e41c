import { migration } from "../../migration.js"

/**
 * Indexes by which sessions are listed, counted and pruned without reading those of other tenants. Sessions of OpenID
 * Connect lose the scopes that they began with: they have those of the member's role in each workspace.
 */
export default migration(({ sql }) => [
  sql`create index console_session_actor on console_session (actor, id)`,
  sql`create index console_session_holder on console_session (user_id, key_id)`,
  sql`create index console_session_end on console_session (expires_at)`,
  sql`create index api_key_owner on api_key (user_id)`,
  sql`create index membership_user on membership (user_id)`,
  sql`update console_session set scopes = null where method = 'oidc'`
])
