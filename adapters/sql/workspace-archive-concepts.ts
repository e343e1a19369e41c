import type * as SqlClient from "@effect/sql/SqlClient"
import * as Stream from "effect/Stream"
import type { WorkspaceScope } from "../../core/kernel/index.js"
import type { RecordOf } from "../../core/transfer/index.js"
import { insertRows } from "./rows.js"
import { groupings } from "./vocabulary-reader.js"
import { type ConceptRow, conceptFromRow, conceptToRow, groupingToRow } from "./vocabulary-store.js"
import { eachRow } from "./workspace-archive-pages.js"

const conceptsPerPage = 500

/** What is kept of entities that came from vocabularies. */
export const conceptRecords = (sql: SqlClient.SqlClient, workspace: WorkspaceScope) =>
  eachRow(
    conceptsPerPage,
    (after: ConceptRow | undefined) => sql<ConceptRow>`select entity_id, iri, details from concept
      where workspace_id = ${workspace} and entity_id > ${after?.entity_id ?? ""}
      order by entity_id limit ${conceptsPerPage}`,
    (row): RecordOf<"concept"> => {
      const { details, entityId, iri } = conceptFromRow(row)
      return { kind: "concept", entityId, iri, ...details }
    }
  )

/** What is kept of schemes and collections. */
export const groupingRecords = (sql: SqlClient.SqlClient, workspace: WorkspaceScope) =>
  Stream.map(groupings(sql, workspace), (one): RecordOf<"grouping"> => ({ kind: "grouping", ...one }))

/** Writes what the above reads. */
export const conceptWriter = (sql: SqlClient.SqlClient) => ({
  concept: (scope: WorkspaceScope, records: ReadonlyArray<RecordOf<"concept">>) =>
    insertRows(
      sql,
      "concept",
      records.map(({ entityId, iri, kind: _kind, ...details }) => ({
        workspace_id: scope,
        ...conceptToRow({ entityId, iri, details })
      }))
    ),
  grouping: (scope: WorkspaceScope, records: ReadonlyArray<RecordOf<"grouping">>) =>
    insertRows(
      sql,
      "vocabulary_grouping",
      records.map(({ kind: _kind, ...one }) => ({ workspace_id: scope, ...groupingToRow(one) }))
    )
})
