import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { JobInspection } from "../../../../core/platform/jobs/index.js"
import { timestampOf } from "../../../../core/platform/kernel/index.js"
import { type JobRow, toJob } from "./job-rows.js"
import { makeQueueClock } from "./queue-clock.js"

/** The lock is a row in the table of recurring jobs; `next_at` is when it ends. */
const lockKind = "repair"

/**
 * Queries of the queue for inspection and rebuild, over SQL.
 *
 * @param isOwnerGone As for `sqlJobStore`.
 */
export const jobInspection = (options: {
  readonly isOwnerGone: (owner: string) => boolean
}): Effect.Effect<JobInspection, never, SqlClient.SqlClient> =>
  Effect.map(SqlClient.SqlClient, (sql) => {
    const clock = makeQueueClock(sql)
    return {
      takeRebuildLock: (workspace, { held, longestMs, until }) =>
        Effect.gen(function* () {
          const nowMs = yield* Clock.currentTimeMillis
          const free =
            held === null
              ? // A lock that lasts longer than `longestMs` was taken before the clock was set back.
                sql`job_cron.next_at <= ${timestampOf(nowMs)} or job_cron.next_at > ${timestampOf(nowMs + longestMs)}`
              : sql`job_cron.next_at = ${held}`
          const lockRow = yield* sql`insert into job_cron (workspace_id, kind, next_at)
            values (${workspace}, ${lockKind}, ${until})
            on conflict (workspace_id, kind) do update set next_at = excluded.next_at where ${free} returning kind`
          return lockRow.length > 0
        }).pipe(Effect.orDie),
      lost: (workspace, limit) =>
        Effect.gen(function* () {
          const at = timestampOf(yield* clock.freshMs)
          const rows = yield* sql<JobRow & { readonly lease_owner: string; readonly lease_until: string }>`
            select * from job where workspace_id = ${workspace} and status = 'running'`
          return rows
            .filter(({ lease_owner, lease_until }) => lease_until <= at || options.isOwnerGone(lease_owner))
            .slice(0, limit)
            .map(toJob)
        }).pipe(Effect.orDie)
    }
  })
