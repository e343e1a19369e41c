import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { serviceLayer, type WorkspaceScope } from "../../../core/kernel/index.js"
import { type CallRows, DataCall, DataCallStore } from "../../../core/livedata/index.js"
import { fromJson, ofShape, readableOf, toJson } from "../codec.js"

export interface CallRow {
  readonly id: string
  readonly record: string
  readonly answer_id: string | null
  readonly rows_kept: string | null
}

export const callFromRow = (row: CallRow): DataCall =>
  ofShape(DataCall, `the data call ${row.id}`, {
    ...fromJson<Record<string, unknown>>(row.record),
    answerId: row.answer_id
  })

export const callToRow = (workspace: WorkspaceScope, call: DataCall, rows: CallRows | null) => ({
  workspace_id: workspace,
  id: call.id,
  query_id: call.queryId,
  query_revision: call.queryRevision,
  connector_id: call.connectorId,
  executed_at: call.executedAt,
  answer_id: call.answerId,
  record: toJson(call),
  rows_kept: rows === null ? null : toJson(rows)
})

export const sqlDataCallStore = serviceLayer(
  DataCallStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      add: (workspace, call, rows) =>
        sql`insert into data_call ${sql.insert(callToRow(workspace, call, rows))}`.pipe(
          Effect.asVoid,
          Effect.orDie
        ),
      find: (workspace, id) =>
        sql<CallRow>`select id, record, answer_id, rows_kept from data_call
          where workspace_id = ${workspace} and id = ${id}`.pipe(
          Effect.map(([row]) =>
            Option.map(Option.fromNullable(row), (found) => ({
              call: callFromRow(found),
              rows: found.rows_kept === null ? null : fromJson<CallRows>(found.rows_kept)
            }))
          ),
          Effect.orDie
        ),
      list: (workspace, { limit, queryId }) =>
        sql<CallRow>`select id, record, answer_id, null as rows_kept from data_call where ${sql.and([
          sql`workspace_id = ${workspace}`,
          ...(queryId === undefined ? [] : [sql`query_id = ${queryId}`])
        ])} order by id desc limit ${limit}`.pipe(
          Effect.flatMap((rows) => readableOf(rows, "data calls", callFromRow)),
          Effect.orDie
        ),
      link: (workspace, ids, answerId) =>
        ids.length === 0
          ? Effect.void
          : sql`update data_call set answer_id = ${answerId}
              where workspace_id = ${workspace} and ${sql.in("id", ids)}`.pipe(Effect.asVoid, Effect.orDie),
      pruneRows: (workspace, before, limit) =>
        sql`update data_call set rows_kept = null where workspace_id = ${workspace} and id in (
            select id from data_call where workspace_id = ${workspace} and executed_at < ${before}
              and rows_kept is not null order by executed_at limit ${limit}) returning id`.pipe(
          Effect.map((rows) => rows.length),
          Effect.orDie
        )
    }
  })
)
