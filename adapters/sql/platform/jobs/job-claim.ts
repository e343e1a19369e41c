import type * as SqlClient from "@effect/sql/SqlClient"
import * as Chunk from "effect/Array"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import type { ClaimRequest, Lease } from "../../../../core/platform/jobs/index.js"
import { timestampOf } from "../../../../core/platform/kernel/index.js"
import { toNumber } from "../../codec.js"
import { dialect } from "../../dialect.js"
import { type JobRow, toLease } from "./job-rows.js"
import type { QueueClock } from "./queue-clock.js"

/**
 * Claims round-robin over workspaces. Workspaces that cannot be served (full, or an equal job is running) have a
 * running job, which bounds how many are skipped. The query skips through the ready index from the workspace served
 * last and reads only as many workspaces as can be served, so its cost does not grow with the number of workspaces or
 * pending jobs.
 */
export const makeClaim = (sql: SqlClient.SqlClient, clock: QueueClock) => {
  /** The workspace served last, by kind. Local to each process, which is fair enough. */
  const served = new Map<string, string>()
  return (request: ClaimRequest): Effect.Effect<ReadonlyArray<Lease>> =>
    Effect.gen(function* () {
      if (request.limit <= 0) return []
      const after = served.get(request.kind) ?? ""
      let rows: ReadonlyArray<JobRow> = []
      // Rows that a concurrent claim has locked are skipped even if it does not take them, so a short claim retries.
      for (let tries = dialect(sql).claimTries; tries > 0 && rows.length === 0; tries -= 1)
        rows = yield* take(sql, clock, request, after)
      const leases = inTurn(rows, after)
      const last = leases.at(-1)
      if (last !== undefined) served.set(request.kind, last.workspace_id)
      return leases.map(toLease(request.owner))
    }).pipe(Effect.orDie)
}

const take = (
  sql: SqlClient.SqlClient,
  clock: QueueClock,
  { kind, leaseMs, limit, loneMax, maxAttempts, owner, workspaceMax }: ClaimRequest,
  after: string
) =>
  Effect.flatMap(clock.nowMs, (nowMs) => {
    const { firstJobs, skipLocked } = dialect(sql)
    const bounded = loneMax === undefined ? sql.literal("1 = 1") : sql`rank <= ${loneMax}`
    return sql<JobRow>`
      with recursive width (most) as (
        select ${limit} + count(distinct workspace_id) from job where status = 'running' and kind = ${kind}
      ), ahead (workspace_id, place) as (
        select min(workspace_id), 1 from job
          where status = 'queued' and kind = ${kind} and workspace_id > ${after}
        union all
        select (select min(next.workspace_id) from job next
          where next.status = 'queued' and next.kind = ${kind} and next.workspace_id > ahead.workspace_id), place + 1
          from ahead where ahead.workspace_id is not null and place < (select most from width)
      ), behind (workspace_id, place) as (
        select min(workspace_id), (select most from width) + 1 from job
          where status = 'queued' and kind = ${kind} and workspace_id <= ${after}
        union all
        select (select min(next.workspace_id) from job next
          where next.status = 'queued' and next.kind = ${kind}
            and next.workspace_id > behind.workspace_id and next.workspace_id <= ${after}), place + 1
          from behind where behind.workspace_id is not null and place < 2 * (select most from width)
      ), turn (workspace_id, place) as (
        select workspace_id, place from ahead where workspace_id is not null
        union all
        select workspace_id, place from behind where workspace_id is not null
        order by 2 limit (select most from width)
      ), holding (workspace_id, jobs) as (
        select workspace_id, count(*) from job
          where status = 'running' and kind = ${kind} and lease_owner = ${owner} group by workspace_id
      ), candidate (workspace_id, id, place, rank) as (
        select job.workspace_id, job.id, turn.place,
            row_number() over (partition by job.workspace_id order by job.priority, job.run_at, job.id)
            + coalesce((select jobs from holding where holding.workspace_id = turn.workspace_id), 0)
          from turn ${firstJobs(sql`
            select first.workspace_id, first.id, first.priority, first.run_at from job first
              where first.status = 'queued' and first.kind = ${kind} and first.workspace_id = turn.workspace_id
                and not exists (select 1 from job equal where equal.status = 'running' and equal.kind = ${kind}
                  and equal.workspace_id = first.workspace_id and equal.dedupe_key = first.dedupe_key)
              order by first.priority, first.run_at, first.id limit ${limit} ${skipLocked}`)}
      ), chosen (workspace_id, id) as (
        select workspace_id, id from candidate
          where rank <= ${workspaceMax} or (${bounded} and (select count(distinct workspace_id) from candidate) = 1)
          order by rank, place limit ${limit}
      )
      update job set status = 'running', attempt = attempt + 1, lease_token = lease_token + 1,
          max_attempts = coalesce(max_attempts, ${maxAttempts}), lease_owner = ${owner},
          lease_until = ${timestampOf(nowMs + leaseMs)}, started_at = ${timestampOf(nowMs)},
          progress = null
        where (workspace_id, id) in (select workspace_id, id from chosen)
        returning *`
  })

/**
 * Returns the jobs in round-robin order, which starts behind `after` and wraps around; the database guarantees none.
 */
const inTurn = (rows: ReadonlyArray<JobRow>, after: string): ReadonlyArray<JobRow> =>
  Chunk.sort(
    rows,
    Order.combineAll([
      Order.mapInput(Order.boolean, (row: JobRow) => row.workspace_id <= after),
      Order.mapInput(Order.string, (row: JobRow) => row.workspace_id),
      Order.mapInput(Order.number, (row: JobRow) => toNumber(row.priority)),
      Order.mapInput(Order.string, (row: JobRow) => row.run_at),
      Order.mapInput(Order.string, (row: JobRow) => row.id)
    ])
  )
