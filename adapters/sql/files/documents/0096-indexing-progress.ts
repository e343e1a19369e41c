import { migration } from "../../migration.js"

/** How far a running ingest has come, for other processes. */
export default migration(({ clustered, sql }) => [
  sql`create table indexing_progress (
    workspace_id text not null primary key,
    done integer not null,
    total integer not null,
    holds_until text not null
  ) ${clustered}`
])
