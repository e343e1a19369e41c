import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import {
  ChangeRequest,
  ChangeRequestStore,
  type KeptRequest,
  Proposal,
  type StoredRequest
} from "../../../core/curation/index.js"
import { serviceLayer } from "../../../core/kernel/index.js"
import { fromJson, ifReadable, objectIn, ofShape, readableOf, toJson } from "../codec.js"
import { hasRows, insertRows, readFirst } from "../rows.js"

export interface RequestRow extends Pick<StoredRequest, "id" | "status" | "kind" | "note"> {
  readonly entity_id: StoredRequest["entityId"]
  readonly payload: string
  readonly review_note: string | null
  readonly proposed_by: string
  readonly reviewed_by: string | null
  readonly applied_entity_id: StoredRequest["appliedEntityId"]
  readonly created_at: string
  readonly reviewed_at: string | null
}

export const requestFromRow = (row: RequestRow): StoredRequest => ({
  id: row.id,
  status: row.status,
  kind: row.kind,
  entityId: row.entity_id,
  payload: fromJson(row.payload),
  note: row.note,
  reviewNote: row.review_note,
  proposedBy: row.proposed_by,
  reviewedBy: row.reviewed_by,
  appliedEntityId: row.applied_entity_id,
  createdAt: row.created_at,
  reviewedAt: row.reviewed_at
})

const Stored = ChangeRequest.omit({ entityName: true })

/** Parses a row strictly, for use in decisions; an invalid request counts as missing. */
const strictFromRow = (row: RequestRow): StoredRequest => {
  const what = `the change request ${row.id}`
  const request = ofShape(Stored, what, requestFromRow(row))
  const { kind, payload } = request
  ofShape(Proposal, what, { kind, payload })
  return request
}

const keptFromRow = (row: RequestRow): KeptRequest => ({
  ...requestFromRow({ ...row, payload: "{}" }),
  payload: ifReadable((text: string) => objectIn<StoredRequest["payload"]>(text), row.payload)
})

const requestToRow = (request: StoredRequest) => ({
  id: request.id,
  status: request.status,
  kind: request.kind,
  entity_id: request.entityId,
  payload: toJson(request.payload),
  note: request.note,
  review_note: request.reviewNote,
  proposed_by: request.proposedBy,
  reviewed_by: request.reviewedBy,
  applied_entity_id: request.appliedEntityId,
  created_at: request.createdAt,
  reviewed_at: request.reviewedAt
})

export const sqlChangeRequestStore = serviceLayer(
  ChangeRequestStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      add: (workspace, requests) =>
        insertRows(
          sql,
          "change_request",
          requests.map((request) => ({ workspace_id: workspace, ...requestToRow(request) }))
        ).pipe(Effect.orDie),
      find: (workspace, id) =>
        sql<RequestRow>`select * from change_request where workspace_id = ${workspace} and id = ${id}`.pipe(
          readFirst(strictFromRow)
        ),
      list: (workspace, status) =>
        sql<RequestRow>`select * from change_request where ${sql.and([
          sql`workspace_id = ${workspace}`,
          ...(status === undefined ? [] : [sql`status = ${status}`])
        ])} order by id desc`.pipe(
          Effect.flatMap((rows) => readableOf(rows, "change requests", strictFromRow)),
          Effect.orDie
        ),
      decide: (workspace, id, { appliedEntityId, reviewedAt, reviewedBy, reviewNote, status }) =>
        sql`update change_request set status = ${status}, review_note = ${reviewNote},
            reviewed_by = ${reviewedBy}, reviewed_at = ${reviewedAt}, applied_entity_id = ${appliedEntityId}
          where workspace_id = ${workspace} and id = ${id} and status = 'open' returning id`.pipe(hasRows),
      kept: (workspace, id) =>
        sql<RequestRow>`select * from change_request where workspace_id = ${workspace} and id = ${id}`.pipe(
          Effect.map(([row]) => (row === undefined ? null : keptFromRow(row))),
          Effect.orDie
        )
    }
  })
)
