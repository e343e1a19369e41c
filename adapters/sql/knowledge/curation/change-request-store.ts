import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Proposal } from "../../../../core/knowledge/curation/index.js"
import {
  ChangeRequest,
  type ChangeRequestStore,
  type KeptRequest,
  type StoredRequest
} from "../../../../core/knowledge/entities/index.js"

import { ifReadable, objectIn, ofShape } from "../../codec.js"
import { columnsOf, json, text } from "../../columns.js"
import { hasRows, insertRows, readFirst, readReadable } from "../../rows.js"

/** Columns of the table `change_request`: proposed changes of entities and how they were decided. */
const columns = columnsOf<StoredRequest>({
  id: text(),
  status: text(),
  kind: text(),
  entityId: text(),
  payload: json(),
  note: text(),
  reviewNote: text(),
  proposedBy: text(),
  reviewedBy: text(),
  appliedEntityId: text(),
  createdAt: text(),
  reviewedAt: text()
})

export const requestFromRow = columns.read

const Stored = ChangeRequest.omit({ entityName: true })

/** Parses a row strictly, for use in decisions; an invalid request counts as missing. */
const strictFromRow = (row: object): StoredRequest => {
  const stored = requestFromRow(row)
  const what = `the change request ${stored.id}`
  const request = ofShape(Stored, what, stored)
  const { kind, payload } = request
  ofShape(Proposal, what, { kind, payload })
  return request
}

const keptFromRow = (row: { readonly payload: string }): KeptRequest => ({
  ...requestFromRow({ ...row, payload: "{}" }),
  payload: ifReadable((text: string) => objectIn<StoredRequest["payload"]>(text), row.payload)
})

export const changeRequests: Effect.Effect<ChangeRequestStore, never, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      add: (workspace, requests) =>
        insertRows(
          sql,
          "change_request",
          requests.map((request) => ({ workspace_id: workspace, ...columns.write(request) }))
        ),
      find: (workspace, id) =>
        sql`select * from change_request where workspace_id = ${workspace} and id = ${id}`.pipe(
          readFirst(strictFromRow)
        ),
      list: (workspace, status) =>
        sql`select * from change_request where ${sql.and([
          sql`workspace_id = ${workspace}`,
          ...(status === undefined ? [] : [sql`status = ${status}`])
        ])} order by id desc`.pipe(readReadable("change requests", strictFromRow)),
      decide: (workspace, id, { appliedEntityId, reviewedAt, reviewedBy, reviewNote, status }) =>
        sql`update change_request set status = ${status}, review_note = ${reviewNote},
            reviewed_by = ${reviewedBy}, reviewed_at = ${reviewedAt}, applied_entity_id = ${appliedEntityId}
          where workspace_id = ${workspace} and id = ${id} and status = 'open' returning id`.pipe(hasRows),
      kept: (workspace, id) =>
        sql<{
          payload: string
        }>`select * from change_request where workspace_id = ${workspace} and id = ${id}`.pipe(
          Effect.map(([row]) => (row === undefined ? null : keptFromRow(row))),
          Effect.orDie
        )
    }
  }
)
