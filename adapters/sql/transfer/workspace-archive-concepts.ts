import type * as SqlClient from "@effect/sql/SqlClient"
import type { WorkspaceScope } from "../../../core/kernel/index.js"
import type { RecordOf } from "../../../core/transfer/index.js"
import { insertRows } from "../rows.js"
import { groupingsAfter } from "../vocabulary/vocabulary-reader.js"
import {
  type ConceptRow,
  conceptFromRow,
  conceptToRow,
  groupingFromRow,
  groupingToRow
} from "../vocabulary/vocabulary-store.js"
import { eachRecord, type Gather } from "./workspace-archive-pages.js"

const conceptsPerPage = 500
const groupingsPerPage = 200

/** What is kept of entities that came from vocabularies. */
export const conceptRecords = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, gather: Gather) =>
  eachRecord(
    conceptsPerPage,
    (after: ConceptRow | undefined) => sql<ConceptRow>`select entity_id, iri, details from concept
      where workspace_id = ${workspace} and entity_id > ${after?.entity_id ?? ""}
      order by entity_id limit ${conceptsPerPage}`,
    (row): RecordOf<"concept"> => {
      const { details, entityId, iri } = conceptFromRow(row)
      return { kind: "concept", entityId, iri, ...details }
    },
    { kind: "concept", gather }
  )

/** What is kept of schemes and collections. */
export const groupingRecords = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, gather: Gather) =>
  eachRecord(
    groupingsPerPage,
    groupingsAfter(sql, workspace, groupingsPerPage),
    (row): RecordOf<"grouping"> => ({ kind: "grouping", ...groupingFromRow(row) }),
    { kind: "grouping", gather }
  )

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
