import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import {
  defaultMaxAttempts,
  type Job,
  type Lease,
  type NewJob
} from "../../../../core/platform/jobs/index.js"
import { type Ids, timestampOf, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { toJson, toNumber } from "../../codec.js"
import { columnsOf, jsonObject, lenient, number, orNull, text } from "../../columns.js"

/** The columns of a job that the queue itself looks at. */
export interface JobRow {
  readonly workspace_id: Job["workspaceId"]
  readonly id: Job["id"]
  readonly kind: string
  readonly priority: unknown
  readonly attempt: unknown
  readonly run_at: string
  readonly lease_token: unknown
  readonly dedupe_key: string | null
}

/** Unreadable fields become empty, so that damage blocks neither lists nor the queue. */
const columns = columnsOf<Job>({
  id: text(),
  workspaceId: text(),
  kind: text(),
  subjectId: text(),
  payload: lenient(jsonObject(), {}),
  status: text(),
  priority: number(),
  attempt: number(),
  maxAttempts: { ...number(), read: (cell) => (cell === null ? defaultMaxAttempts : Number(cell)) },
  runAt: text(),
  progress: lenient(orNull(jsonObject()), null),
  error: text(),
  queuedAt: text("created_at"),
  startedAt: text(),
  finishedAt: text(),
  origin: orNull({
    // In the format of `traceparent`.
    read: (cell) => {
      const [traceId = "", spanId = ""] = String(cell).split("-")
      return { traceId, spanId }
    },
    write: ({ spanId, traceId }) => `${traceId}-${spanId}`
  })
})

export const toJob = columns.read

export const toLease =
  (owner: string) =>
  (row: JobRow): Lease => ({ job: toJob(row), owner, token: toNumber(row.lease_token) })

export const newRow = (ids: Ids["Type"], workspace: WorkspaceScope, job: NewJob, nowMs: number) => {
  const delayMs = Math.max(0, job.delayMs ?? 0)
  return {
    workspace_id: workspace,
    id: ids.make("job"),
    kind: job.kind,
    subject_id: job.subjectId ?? null,
    payload: toJson(job.payload ?? {}),
    status: delayMs > 0 ? "scheduled" : "queued",
    priority: job.priority ?? 0,
    attempt: 0,
    max_attempts: job.maxAttempts ?? null,
    run_at: timestampOf(nowMs + delayMs),
    lease_token: 0,
    dedupe_key: job.dedupeKey ?? null,
    created_at: timestampOf(nowMs),
    origin: job.origin === undefined ? null : `${job.origin.traceId}-${job.origin.spanId}`
  }
}

/** Runs a change of the queue and signals watchers. SQL errors become defects. */
export const writing = <A, E>(changed: Effect.Effect<void>, change: Effect.Effect<A, E>): Effect.Effect<A> =>
  Effect.zipLeft(Effect.orDie(change), changed)

/** Returns the condition that an equal job is waiting. */
export const equalWaits = (sql: SqlClient.SqlClient) =>
  sql`exists (select 1 from job equal where equal.status in ('queued', 'scheduled')
    and equal.dedupe_key is not null and equal.workspace_id = job.workspace_id and equal.kind = job.kind
    and equal.dedupe_key = job.dedupe_key)`
