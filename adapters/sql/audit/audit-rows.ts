import type { StoredEvent } from "../../../core/audit/index.js"
import type { WorkspaceId } from "../../../core/kernel/index.js"
import { toNumber } from "../codec.js"

/** A row of an audit event. */
export interface AuditRow {
  readonly seq: unknown
  readonly id: StoredEvent["id"]
  readonly action: string
  readonly actor: string
  readonly activity: string
  readonly subject_id: string
  readonly at: string
  readonly details: string
  readonly request_id: string | null
  readonly prev_hash: string
  readonly hash: string
}

export const storedToRow = (workspace: WorkspaceId, event: StoredEvent) => ({
  workspace_id: workspace,
  seq: event.position,
  id: event.id,
  action: event.action,
  actor: event.actor,
  activity: event.activity,
  subject_id: event.subjectId,
  at: event.at,
  details: event.details,
  request_id: event.requestId,
  prev_hash: event.prevHash,
  hash: event.hash
})

export const storedFromRow = (row: AuditRow): StoredEvent => ({
  position: toNumber(row.seq),
  id: row.id,
  action: row.action,
  actor: row.actor,
  activity: row.activity,
  subjectId: row.subject_id,
  at: row.at,
  details: row.details,
  requestId: row.request_id,
  prevHash: row.prev_hash,
  hash: row.hash
})
