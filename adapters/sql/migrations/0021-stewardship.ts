import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/**
 * What needs a steward, and what the manifest counts, found without a look at anything else. What a condition of an
 * index fixes stands in its columns too: without statistics SQLite takes it for covering only then, and would walk
 * the whole table instead. None of these holds a rank, so that ranking the graph anew does not write them.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index entity_counts on entity
    (workspace_id, deleted_at, merged_into, type, authority, lifecycle, last_reviewed_at, next_review_at)
    where deleted_at is null and merged_into is null`
  yield* sql`create index entity_due on entity (workspace_id, next_review_at, id)
    where deleted_at is null and merged_into is null and next_review_at is not null`
  yield* sql`create index entity_ownerless on entity
    (workspace_id, owner_id, steward_ids, deleted_at, merged_into, id)
    where deleted_at is null and merged_into is null and owner_id is null and steward_ids = '[]'`
  yield* sql`create index entity_owner on entity
    (workspace_id, owner_id, deleted_at, merged_into, last_reviewed_at, next_review_at, id)
    where owner_id is not null`
  yield* sql`create index change_request_open on change_request (workspace_id, status, entity_id, id)
    where status = 'open' and entity_id is not null`
  yield* sql`create index document_counts on document (workspace_id, deleted_at, verification)
    where deleted_at is null`
  yield* sql`create index document_due on document (workspace_id, next_verify_at, id)
    where deleted_at is null and next_verify_at is not null`
})
