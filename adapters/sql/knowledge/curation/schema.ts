import { migration } from "../../migration.js"

/** Change requests. */
export default migration(({ clustered, sql }) => [
  sql`create table change_request (
    workspace_id text not null,
    id text not null,
    status text not null,
    kind text not null,
    entity_id text,
    payload text not null,
    note text,
    review_note text,
    proposed_by text not null,
    reviewed_by text,
    applied_entity_id text,
    created_at text not null,
    reviewed_at text,
    primary key (workspace_id, id)
  ) ${clustered}`,
  sql`create index change_request_status on change_request (workspace_id, status, id)`,
  sql`create index change_request_entity on change_request (workspace_id, entity_id)
    where entity_id is not null`,
  sql`create index change_request_open on change_request (workspace_id, status, entity_id, id)
    where status = 'open' and entity_id is not null`
])
