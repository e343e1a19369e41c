import { migration } from "../../migration.js"

/** Adds the table of inbox marks: one row for each item that a person marked as done or rejected, or assigned. */
export default migration(({ clustered, sql }) => [
  sql`create table inbox_mark (
    workspace_id text not null,
    kind text not null,
    item_id text not null,
    state text not null,
    assigned_to text,
    waited_since text not null,
    marked_by text not null,
    updated_at text not null,
    primary key (workspace_id, kind, item_id)
  ) ${clustered}`
])
