import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { type CallRows, DataCall, type DataCallStore } from "../../../../core/connected/livedata/index.js"

import { fromJson, ofShape, toJson } from "../../codec.js"
import { columnsOf, json, orNull } from "../../columns.js"
import { done, readFirst, readReadable } from "../../rows.js"

export interface CallRow {
  readonly id: string
  readonly record: string
  readonly answer_id: string | null
}

export const callFromRow = (row: CallRow): DataCall =>
  ofShape(DataCall, `the data call ${row.id}`, {
    ...fromJson<Record<string, unknown>>(row.record),
    answerId: row.answer_id
  })

/** The rows of a call while they are kept. */
export const keptColumns = columnsOf<{ rows: CallRows | null }>({ rows: orNull(json("rows_kept")) })

export const callToRow = (call: DataCall, rows: CallRows | null) => ({
  id: call.id,
  query_id: call.queryId,
  query_revision: call.queryRevision,
  connector_id: call.connectorId,
  executed_at: call.executedAt,
  answer_id: call.answerId,
  record: toJson(call),
  ...keptColumns.write({ rows })
})

export const dataCalls: Effect.Effect<DataCallStore, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    add: (workspace, call, rows) =>
      done(sql`insert into data_call ${sql.insert({ workspace_id: workspace, ...callToRow(call, rows) })}`),
    find: (workspace, id) =>
      sql<CallRow>`select * from data_call where workspace_id = ${workspace} and id = ${id}`.pipe(
        readFirst((row) => ({ call: callFromRow(row), ...keptColumns.read(row) }))
      ),
    list: (workspace, { limit, queryId }) =>
      sql<CallRow>`select id, record, answer_id from data_call where ${sql.and([
        sql`workspace_id = ${workspace}`,
        ...(queryId === undefined ? [] : [sql`query_id = ${queryId}`])
      ])} order by id desc limit ${limit}`.pipe(readReadable("data calls", callFromRow)),
    link: (workspace, ids, answerId) =>
      ids.length === 0
        ? Effect.void
        : done(sql`update data_call set answer_id = ${answerId}
              where workspace_id = ${workspace} and ${sql.in("id", ids)}`),
    pruneRows: (workspace, before, limit) =>
      sql`update data_call set rows_kept = null where workspace_id = ${workspace} and id in (
            select id from data_call where workspace_id = ${workspace} and executed_at < ${before}
              and rows_kept is not null order by executed_at limit ${limit}) returning id`.pipe(
        Effect.map((rows) => rows.length),
        Effect.orDie
      )
  }
})
