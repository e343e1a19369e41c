import { migration } from "../../migration.js"

/** Credentials of workspaces, sealed with a key that the database does not hold. */
export default migration(({ clustered, sql }) => [
  sql`create table secret (
    workspace_id text not null,
    id text not null,
    sealed text not null,
    created_at text not null,
    primary key (workspace_id, id)
  ) ${clustered}`
])
