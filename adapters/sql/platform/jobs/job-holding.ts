import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { JobStore, Lease } from "../../../../core/platform/jobs/index.js"
import { timestampOf } from "../../../../core/platform/kernel/index.js"
import { toJson } from "../../codec.js"
import { dialect } from "../../dialect.js"
import { onReservedConnection } from "../../reserved-connection.js"
import { done, hasRows } from "../../rows.js"
import { equalWaits, type JobRow, writing } from "./job-rows.js"
import type { QueueClock } from "./queue-clock.js"

type Holding = Pick<JobStore["Type"], "beat" | "fence" | "fail" | "release" | "forgive">

/** Operations of a lease holder. Every statement checks the fencing token, so a replaced holder changes nothing. */
export const makeHolding = (
  sql: SqlClient.SqlClient,
  clock: QueueClock,
  changed: Effect.Effect<void>
): Holding => {
  const held = heldBy(sql)
  const { tellsEnd, tellsQueue } = dialect(sql)
  const end = (change: (at: string, nowMs: number) => Effect.Effect<ReadonlyArray<object>, unknown>) =>
    writing(
      changed,
      Effect.map(
        Effect.flatMap(clock.nowMs, (nowMs) => change(timestampOf(nowMs), nowMs)),
        (rows) => rows.length > 0
      )
    )
  return {
    beat: (leases, leaseMs) =>
      leases.length === 0
        ? Effect.succeed([])
        : onReservedConnection(prolong(sql, clock, held, leases, leaseMs)),
    // The update takes the write lock on SQLite and locks the row on Postgres.
    fence: (lease, leaseMs) =>
      Effect.flatMap(clock.nowMs, (nowMs) =>
        sql`update job set lease_until = ${timestampOf(nowMs + leaseMs)} where ${held(lease)} returning id`.pipe(
          hasRows
        )
      ),
    fail: (lease, error, retryInMs) =>
      end((at, nowMs) =>
        retryInMs === null
          ? sql`update job set status = 'dead', finished_at = ${at}, error = ${error}, lease_owner = null,
                lease_until = null
              where ${held(lease)} returning id ${tellsEnd(equalWaits(sql))}`
          : sql`update job set
                status = case when ${equalWaits(sql)} then 'cancelled' else ${retryInMs > 0 ? "scheduled" : "queued"} end,
                finished_at = case when ${equalWaits(sql)} then ${at} else null end,
                run_at = ${timestampOf(nowMs + Math.max(0, retryInMs))}, deaths = 0, error = ${error}, lease_owner = null,
                lease_until = null
              where ${held(lease)} returning id ${tellsQueue}`
      ),
    release: (lease) =>
      end(
        (at) => sql`update job set
            status = case when ${equalWaits(sql)} then 'cancelled' else 'queued' end,
            finished_at = case when ${equalWaits(sql)} then ${at} else null end,
            attempt = attempt - 1, deaths = 0, lease_owner = null, lease_until = null
          where ${held(lease)} returning id ${tellsQueue}`
      ),
    forgive: (workspace, kind, subjectId) =>
      done(sql`update job set deaths = 0 where workspace_id = ${workspace} and kind = ${kind}
        and subject_id = ${subjectId} and status = 'running'`)
  }
}

const heldBy = (sql: SqlClient.SqlClient) => (lease: Lease) =>
  sql`workspace_id = ${lease.job.workspaceId} and id = ${lease.job.id}
    and lease_token = ${lease.token} and status = 'running'`

type Beats = Parameters<JobStore["Type"]["beat"]>[0]

/**
 * Extends all leases in one statement, then stores progress in one statement each. It skips locked rows: a job whose
 * handler is writing is extended by its fence.
 */
const prolong = (
  sql: SqlClient.SqlClient,
  clock: QueueClock,
  held: ReturnType<typeof heldBy>,
  beats: Beats,
  leaseMs: number
) =>
  Effect.gen(function* () {
    yield* clock.read
    const until = timestampOf((yield* clock.nowMs) + leaseMs)
    const all = sql.or(beats.map(({ lease }) => sql`(${held(lease)})`))
    const heldLeases = yield* sql<
      Pick<JobRow, "id">
    >`update job set lease_until = ${until} where (workspace_id, id) in
      (select workspace_id, id from job where ${all} ${dialect(sql).skipLocked}) returning id`
    const ids = new Set(heldLeases.map((row) => row.id))
    for (const { lease, progress } of beats) {
      if (progress === null || !ids.has(lease.job.id)) continue
      yield* sql`update job set progress = ${toJson(progress)} where ${held(lease)}`
    }
    if (ids.size === beats.length) return [...ids]
    return (yield* sql<Pick<JobRow, "id">>`select id from job where ${all}`).map((row) => row.id)
  }).pipe(sql.withTransaction, Effect.orDie)
