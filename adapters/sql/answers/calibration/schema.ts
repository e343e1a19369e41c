import { migration } from "../../migration.js"

/** Calibrations that were fitted for a workspace. At most one of them is active. */
export default migration(({ clustered, sql }) => [
  sql`create table calibration (
    workspace_id text not null,
    version text not null,
    artefact text not null,
    created_by text not null,
    created_at text not null,
    active integer not null,
    primary key (workspace_id, version)
  ) ${clustered}`
])
