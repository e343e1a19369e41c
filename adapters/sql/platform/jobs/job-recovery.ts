import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { deathsMax, type JobStore } from "../../../../core/platform/jobs/index.js"
import { now, timestampOf } from "../../../../core/platform/kernel/index.js"
import { dialect } from "../../dialect.js"
import { equalWaits, type JobRow, toJob, writing } from "./job-rows.js"
import type { ClockRow, QueueClock } from "./queue-clock.js"

type Recovery = Pick<JobStore["Type"], "sweep" | "promote" | "retry" | "prune">

const sweepMax = 100
const promoteMax = 500
/** No job is scheduled further ahead than this, unless the clock was set back. */
const aheadMaxMs = 2 * 24 * 3_600_000
/** The same for leases. */
const leaseMaxMs = 10 * 60_000
const ownerLost = "The worker that ran this job stopped answering."
const ownerLostRepeatedly = `The worker that ran this job ended during it ${deathsMax} times, so it is not run again.`

interface LeasesRow extends ClockRow {
  readonly lease_owner: string
  readonly ends: string
  readonly last: string
}

/** Methods that return jobs to the queue and delete old ones. */
export const makeRecovery = (
  sql: SqlClient.SqlClient,
  clock: QueueClock,
  changed: Effect.Effect<void>,
  isOwnerGone: (owner: string) => boolean
): Recovery => ({
  sweep: makeSweep(sql, clock, changed, isOwnerGone),
  promote: makePromote(sql, clock, changed),
  retry: makeRetry(sql, changed),
  prune: (before, limit) =>
    sql`delete from job where (workspace_id, id) in (
        select workspace_id, id from job
          where (status in ('succeeded', 'cancelled') and finished_at < ${before.succeeded})
            or (status = 'dead' and finished_at < ${before.dead})
          limit ${limit})
      returning id`.pipe(
      Effect.map((rows) => rows.length),
      Effect.orDie
    )
})

const makeSweep = (
  sql: SqlClient.SqlClient,
  clock: QueueClock,
  changed: Effect.Effect<void>,
  isOwnerGone: (owner: string) => boolean
) =>
  Effect.gen(function* () {
    const { clockMs, skipLocked, tellsQueue } = dialect(sql)
    // Read-only first: most sweeps find nothing to write, and a dead owner stays dead.
    const leases = yield* clock.noting(sql<LeasesRow>`
      select lease_owner, min(lease_until) as ends, max(lease_until) as last, ${clockMs} as clock_ms
        from job where status = 'running' group by lease_owner`)
    const nowMs = yield* clock.nowMs
    const [at, ahead] = [timestampOf(nowMs), timestampOf(nowMs + aheadMaxMs)]
    const leasedAtMost = timestampOf(nowMs + leaseMaxMs)
    const misplacedJobs =
      yield* sql`select id from job where status = 'scheduled' and run_at > ${ahead} limit 1`
    if (misplacedJobs.length > 0) {
      yield* sql`update job set status = 'queued', run_at = ${at} where (workspace_id, id) in (
        select workspace_id, id from job where status = 'scheduled' and run_at > ${ahead}
          limit ${promoteMax} ${skipLocked}) returning id ${tellsQueue}`
      yield* changed
    }
    const deadOwners = leases.map((row) => row.lease_owner).filter(isOwnerGone)
    const isExpired = clock.isSettled() && leases.some(({ ends, last }) => ends <= at || last > leasedAtMost)
    if (deadOwners.length === 0 && !isExpired) return 0
    const isLost = sql.or([
      ...(isExpired ? [sql`lease_until <= ${at}`, sql`lease_until > ${leasedAtMost}`] : []),
      ...(deadOwners.length === 0 ? [] : [sql.in("lease_owner", deadOwners)])
    ])
    // A job that takes its process down would otherwise do so after each restart.
    const isDeadly = sql`deaths + 1 >= ${deathsMax}`
    const isOver = sql`(${isDeadly} or attempt >= max_attempts)`
    const swept = yield* sql`update job set
        status = case when ${isOver} then 'dead' when ${equalWaits(sql)} then 'cancelled' else 'queued' end,
        finished_at = case when ${isOver} or ${equalWaits(sql)} then ${at} else null end,
        error = case when ${isDeadly} then ${ownerLostRepeatedly} else ${ownerLost} end,
        deaths = deaths + 1, lease_owner = null, lease_until = null
      where (workspace_id, id) in (
        select workspace_id, id from job where status = 'running' and ${isLost} limit ${sweepMax} ${skipLocked})
      returning id ${tellsQueue}`
    if (swept.length > 0) yield* changed
    return swept.length
  }).pipe(Effect.orDie)

const makePromote = (sql: SqlClient.SqlClient, clock: QueueClock, changed: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const { skipLocked, tellsQueue } = dialect(sql)
    const at = timestampOf(yield* clock.nowMs)
    const next = Effect.map(
      sql<{ readonly at: string | null }>`select min(run_at) as at from job where status = 'scheduled'`,
      ([row]) => row?.at ?? null
    )
    const first = yield* next
    if (first === null || first > at) return first
    yield* sql`update job set status = 'queued' where (workspace_id, id) in (
      select workspace_id, id from job where status = 'scheduled' and run_at <= ${at}
        order by run_at limit ${promoteMax} ${skipLocked}) returning id ${tellsQueue}`
    yield* changed
    return yield* next
  }).pipe(
    Effect.flatMap((next) =>
      Effect.map(clock.nowMs, (nowMs) =>
        Option.map(Option.fromNullable(next), (moment) => Math.max(0, Date.parse(moment) - nowMs))
      )
    ),
    Effect.orDie
  )

const makeRetry =
  (sql: SqlClient.SqlClient, changed: Effect.Effect<void>): Recovery["retry"] =>
  (workspace, ids) => {
    if (ids !== "all" && ids.length === 0) return Effect.succeed([])
    const among = (table: string) => (ids === "all" ? sql`1 = 1` : sql.in(`${table}.id`, ids))
    const dead = sql`(workspace_id, id) in (
      select workspace_id, id from job where workspace_id = ${workspace} and status = 'dead' and ${among("job")})`
    const { tellsQueue } = dialect(sql)
    const work = Effect.gen(function* () {
      const at = yield* now
      // The newest of several equal dead jobs is requeued, unless an equal job is waiting.
      const replaced = yield* sql<JobRow>`update job set status = 'cancelled', finished_at = ${at}
        where ${dead} and (${equalWaits(sql)}
          or exists (select 1 from job newer where newer.status = 'dead' and newer.dedupe_key is not null and newer.workspace_id = job.workspace_id
            and newer.kind = job.kind and newer.dedupe_key = job.dedupe_key and newer.id > job.id
            and ${among("newer")}))
        returning * ${tellsQueue}`
      const back =
        yield* sql<JobRow>`update job set status = 'queued', attempt = 0, deaths = 0, run_at = ${at},
          lease_token = lease_token + 1, finished_at = null
        where ${dead} returning * ${tellsQueue}`
      const waiting = new Map(back.map((row) => [row.id, row]))
      for (const { dedupe_key, kind } of replaced) {
        const rows = yield* sql<JobRow>`select * from job where workspace_id = ${workspace} and kind = ${kind}
          and dedupe_key = ${dedupe_key} and status in ('queued', 'scheduled') and dedupe_key is not null`
        for (const row of rows) waiting.set(row.id, row)
      }
      return [...waiting.values()].map(toJob)
    })
    return writing(changed, sql.withTransaction(work))
  }
