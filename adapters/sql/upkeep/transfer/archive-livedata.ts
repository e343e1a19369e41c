import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { DataQuery } from "../../../../core/connected/livedata/index.js"
import { nameNorm } from "../../../../core/platform/kernel/index.js"
import type { RecordOf } from "../../../../core/upkeep/transfer/index.js"
import { toJson } from "../../codec.js"
import { columnsOf, text } from "../../columns.js"
import { type CallRow, callFromRow, callToRow, keptColumns } from "../../connected/livedata/call-store.js"
import { connectorColumns, connectorFromRow } from "../../connected/livedata/connector-store.js"
import { insertRevision, revisionFromRow } from "../../connected/livedata/query-store.js"
import { rowsInto, type Source, tableRecords, type Writers } from "./workspace-archive-pages.js"

const deletion = columnsOf<{ deletedAt: string | null }>({ deletedAt: text() })

/** Connectors without credentials, named queries by revision, and data calls, in the order of an export. */
export const livedataRecords = (source: Source) => [
  tableRecords(source, "data_connector", {
    table: "data_connector",
    record: (row) => {
      const { kind, secret: _, ...connector } = connectorFromRow(row)
      return { ...connector, ...deletion.read(row), database: kind }
    }
  }),
  tableRecords(source, "data_query", {
    table: "data_query_revision",
    key: ["query_id", "revision"],
    select: "t.*, t.query_id as id",
    record: (row) => {
      const { query, ...rest } = revisionFromRow(row)
      return { ...query, ...rest }
    }
  }),
  tableRecords(source, "data_call", {
    table: "data_call",
    // A call may have kept megabytes.
    size: 16,
    record: (row: CallRow) => {
      const { rows: kept } = keptColumns.read(row)
      return {
        ...callFromRow(row),
        kept:
          kept === null ? null : { columns: [...kept.columns], rows: kept.rows.map((one) => ({ ...one })) }
      }
    }
  })
]

/** Writes these records. A connector comes without its credential, which has to be set again. */
export const livedataWriters = (
  sql: SqlClient.SqlClient
): Pick<Writers, "data_connector" | "data_query" | "data_call"> => ({
  data_connector: rowsInto(
    sql,
    "data_connector",
    ({ database, deletedAt, ...connector }: RecordOf<"data_connector">) => ({
      ...connectorColumns.write({ ...connector, kind: database }),
      ...deletion.write({ deletedAt }),
      name_norm: nameNorm(connector.name)
    })
  ),
  data_query: (workspace, records) =>
    Effect.forEach(
      records,
      ({ activity, changedBy, kind: _, ...record }) => {
        const query = DataQuery.parse(record)
        const { id, revision, slug } = query
        const row = { workspace_id: workspace, id, slug, revision, definition: toJson(query) }
        return Effect.zipRight(
          // The last revision is the present one.
          sql`insert into data_query ${sql.insert(row)} on conflict (workspace_id, id)
            do update set revision = excluded.revision, definition = excluded.definition`,
          insertRevision(sql, workspace, { query, activity, changedBy })
        )
      },
      { discard: true }
    ),
  data_call: rowsInto(sql, "data_call", ({ kept, kind: _, ...call }: RecordOf<"data_call">) =>
    callToRow(call, kept)
  )
})
