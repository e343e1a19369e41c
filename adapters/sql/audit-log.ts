import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type AuditEvent, AuditLog } from "../../core/audit/index.js"
import { fromJson, toJson } from "./codec.js"
import { insertRows } from "./rows.js"

interface AuditRow {
  readonly id: AuditEvent["id"]
  readonly action: string
  readonly actor: string
  readonly activity: string
  readonly subject_id: string
  readonly at: string
  readonly details: string
}

export const sqlAuditLog = Layer.effect(
  AuditLog,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      append: (workspace, events) =>
        insertRows(
          sql,
          "audit",
          events.map(({ details, subjectId, ...event }) => ({
            workspace_id: workspace,
            ...event,
            subject_id: subjectId,
            details: toJson(details)
          }))
        ),
      ofSubject: (workspace, subjectId, limit) =>
        sql<AuditRow>`select id, action, actor, activity, subject_id, at, details from audit
          where workspace_id = ${workspace} and subject_id = ${subjectId}
          order by id desc limit ${limit}`.pipe(
          Effect.map((rows) =>
            rows.map(({ details, subject_id, ...row }) => ({
              ...row,
              subjectId: subject_id,
              details: fromJson<AuditEvent["details"]>(details)
            }))
          ),
          Effect.orDie
        )
    }
  })
)
