import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/**
 * Revisions in the order of their arrival. A row of more than a kilobyte in a table that is stored by its key takes a
 * page of its own: four kilobytes a revision, where two or three share one now.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table entity_revision_by_arrival (
    workspace_id text not null,
    entity_id text not null,
    version integer not null,
    change_kind text not null,
    snapshot text not null,
    diff text not null,
    activity text not null,
    changed_by text not null,
    note text,
    created_at text not null,
    primary key (workspace_id, entity_id, version)
  )`
  yield* sql`insert into entity_revision_by_arrival select workspace_id, entity_id, version, change_kind, snapshot,
    diff, activity, changed_by, note, created_at from entity_revision`
  yield* sql`drop table entity_revision`
  yield* sql`alter table entity_revision_by_arrival rename to entity_revision`
})
