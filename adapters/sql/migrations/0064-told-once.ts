import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { WorkspaceId } from "../../../core/kernel/index.js"
import { guardHistory, guardNames } from "../append-only.js"
import { type RevisionRow, revisionFromRow, revisionToRow } from "../revision-rows.js"
import { insertRows } from "../rows.js"

/** Rows that are rewritten at a time. */
const rowsPerPage = 500

/** What other rows or columns tell is kept once. */
export default Effect.gen(function* () {
  yield* shortRevisions
})

type KeptRevision = RevisionRow & { readonly workspace_id: WorkspaceId }

/** A revision keeps what is unusual of its snapshot, and no diff where all of it is new. */
const shortRevisions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table entity_revision_short (
    workspace_id text not null,
    entity_id text not null,
    version integer not null,
    change_kind text not null,
    snapshot text not null,
    diff text,
    activity text not null,
    changed_by text not null,
    note text,
    created_at text not null,
    primary key (workspace_id, entity_id, version)
  )`
  let after: KeptRevision | undefined
  while (true) {
    const rows: ReadonlyArray<KeptRevision> = yield* sql<KeptRevision>`select * from entity_revision
      where (workspace_id, entity_id, version) >
        (${after?.workspace_id ?? ""}, ${after?.entity_id ?? ""}, ${after?.version ?? 0})
      order by workspace_id, entity_id, version limit ${rowsPerPage}`
    if (rows.length === 0) break
    yield* insertRows(
      sql,
      "entity_revision_short",
      rows.map((row) => revisionToRow(row.workspace_id, row.entity_id, revisionFromRow(row)))
    )
    after = rows.at(-1)
  }
  yield* sql`drop table entity_revision`
  yield* sql`alter table entity_revision_short rename to entity_revision`
  // Its guards went with the table; those of other tables stay as they are.
  yield* guardHistory(sql, new Set(guardNames(sql).filter((name) => !name.startsWith("entity_revision_"))))
})
