import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import {
  defaultMaxAttempts,
  type Job,
  type JobProgress,
  type Lease,
  type NewJob
} from "../../../core/jobs/index.js"
import { type Ids, timestampOf, type WorkspaceScope } from "../../../core/kernel/index.js"
import { ifReadable, objectIn, toJson, toNumber } from "../codec.js"

export interface JobRow {
  readonly workspace_id: Job["workspaceId"]
  readonly id: Job["id"]
  readonly kind: string
  readonly subject_id: string | null
  readonly payload: string
  readonly status: Job["status"]
  readonly priority: unknown
  readonly attempt: unknown
  readonly max_attempts: unknown
  readonly run_at: string
  readonly lease_token: unknown
  readonly progress: string | null
  readonly error: string | null
  readonly dedupe_key: string | null
  readonly created_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly origin: string | null
}

/** Parses a job; unreadable fields become empty, so that damage blocks neither lists nor the queue. */
export const toJob = (row: JobRow): Job => ({
  id: row.id,
  workspaceId: row.workspace_id,
  kind: row.kind,
  subjectId: row.subject_id,
  payload: ifReadable((text: string) => objectIn<Job["payload"]>(text), row.payload) ?? {},
  status: row.status,
  priority: toNumber(row.priority),
  attempt: toNumber(row.attempt),
  maxAttempts: row.max_attempts === null ? defaultMaxAttempts : toNumber(row.max_attempts),
  runAt: row.run_at,
  progress:
    row.progress === null ? null : ifReadable((text: string) => objectIn<JobProgress>(text), row.progress),
  error: row.error,
  queuedAt: row.created_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  origin: row.origin === null ? null : originOf(row.origin)
})

/** Parses an origin in the format of `traceparent`. */
const originOf = (text: string): Job["origin"] => {
  const [traceId = "", spanId = ""] = text.split("-")
  return { traceId, spanId }
}

export const toLease =
  (owner: string) =>
  (row: JobRow): Lease => ({ job: toJob(row), owner, token: toNumber(row.lease_token) })

/** Returns the row of a new job. */
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
