import { migration } from "../../migration.js"

/** Files of workspaces whose vault is the database itself. */
export default migration(({ blob, sql }) => [
  // `area` is file, staged or trash; `name` is the path, the handle or the document id.
  sql`create table vault_file (
    workspace_id text not null,
    area text not null,
    name text not null,
    bytes ${blob} not null,
    size_bytes integer not null,
    changed_ms double precision not null,
    primary key (workspace_id, area, name)
  )`
])
