import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { WorkspaceScope } from "../../../core/kernel/index.js"
import { type CallRows, DataQuery } from "../../../core/livedata/index.js"
import type { RecordOf } from "../../../core/transfer/index.js"
import { fromJson, toJson } from "../codec.js"
import { insertRows } from "../rows.js"
import { eachRecord, type Gather } from "../transfer/workspace-archive-pages.js"
import { type CallRow, callFromRow, callToRow } from "./call-store.js"
import { type ConnectorRow, connectorFromRow, connectorToRow } from "./connector-store.js"
import { type QueryRevisionRow, queryFromRow } from "./query-store.js"

/** Rows that one statement reads; a data call may have kept megabytes. */
const [pageSize, callPageSize] = [500, 16]

/** Connectors without credentials, named queries by revision, and data calls, in the order of an export. */
export const livedataRecords = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, gather: Gather) =>
  Stream.empty.pipe(
    Stream.concat(
      eachRecord(
        pageSize,
        (after: ArchivedConnectorRow | undefined) => sql<ArchivedConnectorRow>`select * from data_connector
          where workspace_id = ${workspace} and id > ${after?.id ?? ""} order by id limit ${pageSize}`,
        (row): RecordOf<"data_connector"> => {
          const { kind, secret: _, ...connector } = connectorFromRow(row)
          return { ...connector, kind: "data_connector", database: kind, deletedAt: row.deleted_at }
        },
        { kind: "data_connector", gather }
      )
    ),
    Stream.concat(
      eachRecord(
        pageSize,
        (after: ArchivedRevisionRow | undefined) => sql<ArchivedRevisionRow>`
          select query_id as id, revision, definition, activity, changed_by from data_query_revision
          where workspace_id = ${workspace}
            and (query_id, revision) > (${after?.id ?? ""}, ${after?.revision ?? 0})
          order by query_id, revision limit ${pageSize}`,
        (row): RecordOf<"data_query"> => ({
          ...queryFromRow(row),
          kind: "data_query",
          activity: row.activity,
          changedBy: row.changed_by
        }),
        { kind: "data_query", gather }
      )
    ),
    Stream.concat(
      eachRecord(
        callPageSize,
        (after: CallRow | undefined) => sql<CallRow>`select id, record, answer_id, rows_kept from data_call
          where workspace_id = ${workspace} and id > ${after?.id ?? ""} order by id limit ${callPageSize}`,
        (row): RecordOf<"data_call"> => {
          const kept = row.rows_kept === null ? null : fromJson<CallRows>(row.rows_kept)
          return {
            ...callFromRow(row),
            kind: "data_call",
            kept:
              kept === null
                ? null
                : { columns: [...kept.columns], rows: kept.rows.map((one) => ({ ...one })) }
          }
        },
        { kind: "data_call", gather }
      )
    )
  )

interface ArchivedConnectorRow extends ConnectorRow {
  readonly deleted_at: string | null
}

interface ArchivedRevisionRow extends QueryRevisionRow {
  readonly revision: number
}

/** Writes these records. A connector comes without its credential, which has to be set again. */
export const livedataWriter = (sql: SqlClient.SqlClient) => ({
  data_connector: (workspace: WorkspaceScope, records: ReadonlyArray<RecordOf<"data_connector">>) =>
    insertRows(
      sql,
      "data_connector",
      records.map(({ database, deletedAt, kind: _, ...connector }) => ({
        workspace_id: workspace,
        id: connector.id,
        ...connectorToRow({ ...connector, kind: database, secret: null }),
        deleted_at: deletedAt
      }))
    ),
  data_query: (workspace: WorkspaceScope, records: ReadonlyArray<RecordOf<"data_query">>) =>
    Effect.forEach(
      records,
      ({ activity, changedBy, kind: _, ...query }) => {
        const { id, revision, slug, updatedAt } = query
        const definition = toJson(DataQuery.parse(query))
        return Effect.zipRight(
          // The last revision is the present one.
          sql`insert into data_query ${sql.insert({ workspace_id: workspace, id, slug, revision, definition })}
            on conflict (workspace_id, id) do update set revision = excluded.revision, definition = excluded.definition`,
          insertRows(sql, "data_query_revision", [
            {
              workspace_id: workspace,
              query_id: id,
              revision,
              definition,
              activity,
              changed_by: changedBy,
              created_at: updatedAt
            }
          ])
        )
      },
      { discard: true }
    ),
  data_call: (workspace: WorkspaceScope, records: ReadonlyArray<RecordOf<"data_call">>) =>
    insertRows(
      sql,
      "data_call",
      records.map(({ kept, kind: _, ...call }) => callToRow(workspace, call, kept))
    )
})
