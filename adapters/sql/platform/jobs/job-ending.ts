import * as SqlClient from "@effect/sql/SqlClient"
import * as Chunk from "effect/Array"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { JobProgress, JobStore, Lease } from "../../../../core/platform/jobs/index.js"
import { timestampOf } from "../../../../core/platform/kernel/index.js"
import { toJson, toNumber } from "../../codec.js"
import { dialect } from "../../dialect.js"
import { hostReach, WorkspaceInForce } from "../../workspace-in-force.js"
import { equalWaits, writing } from "./job-rows.js"
import type { QueueClock } from "./queue-clock.js"

interface Ending {
  readonly lease: Lease
  readonly progress: JobProgress | null
  readonly at: string
}

/** Maximum number of jobs that one statement ends. */
const togetherMax = 100

/**
 * Ends jobs in batches: those that end during a running statement share the next one, so that a queue of short jobs
 * needs fewer commits. Each caller waits for the commit of its job.
 */
export const makeSucceed = (
  sql: SqlClient.SqlClient,
  clock: QueueClock,
  changed: Effect.Effect<void>
): JobStore["Type"]["succeed"] => {
  const waiting: Array<readonly [ending: Ending, ended: Deferred.Deferred<boolean>]> = []
  let isStoring = false
  const store = Effect.gen(function* () {
    for (;;) {
      // Collect jobs that end in the same tick.
      yield* Effect.yieldNow()
      const some = waiting.splice(0, togetherMax)
      if (some.length === 0) break
      const exit = yield* Effect.exit(
        endAll(
          sql,
          changed,
          Chunk.map(some, ([ending]) => ending)
        )
      )
      for (const [{ lease }, ended] of some)
        yield* Deferred.done(
          ended,
          Exit.map(exit, (keys) => keys.has(keyOf(lease)))
        )
    }
    isStoring = false
  })
  return (lease, progress = null) =>
    Effect.gen(function* () {
      const ending = { lease, progress, at: timestampOf(yield* clock.nowMs) }
      // Within a unit of work, the end is stored with it.
      if (Option.isSome(yield* Effect.serviceOption(SqlClient.TransactionConnection)))
        return (yield* endAll(sql, changed, [ending])).has(keyOf(lease))
      const ended = yield* Deferred.make<boolean>()
      waiting.push([ending, ended])
      if (!isStoring) {
        isStoring = true
        yield* Effect.forkDaemon(store)
      }
      return yield* Deferred.await(ended)
    })
}

interface EndedRow {
  readonly workspace_id: string
  readonly id: string
  readonly lease_token: unknown
}

/** Returns the keys of the leases that still held. */
const endAll = (sql: SqlClient.SqlClient, changed: Effect.Effect<void>, endings: ReadonlyArray<Ending>) => {
  const rows = endings.map(
    ({ at, lease: { job, token }, progress }) =>
      sql`(${job.workspaceId}, ${job.id}, ${token}, ${at}, ${progress === null ? null : toJson(progress)})`
  )
  const ended = sql<EndedRow>`
    with ending (of_workspace, of_job, of_token, ended_at, told_at_last) as (values ${sql.csv(rows)})
    update job set status = 'succeeded', finished_at = ending.ended_at, error = null, lease_owner = null,
        lease_until = null, progress = coalesce(ending.told_at_last, job.progress)
      from ending
      where job.workspace_id = ending.of_workspace and job.id = ending.of_job
        and job.lease_token = cast(ending.of_token as integer) and job.status = 'running'
      returning workspace_id, id, lease_token ${dialect(sql).tellsEnd(equalWaits(sql))}`
  // Jobs may be of several workspaces, so this runs with the reach of the host.
  return Effect.provideService(writing(changed, ended), WorkspaceInForce, hostReach).pipe(
    Effect.map(
      (kept) =>
        new Set(
          kept.map(({ id, lease_token, workspace_id }) => `${workspace_id} ${id} ${toNumber(lease_token)}`)
        )
    )
  )
}

const keyOf = ({ job, token }: Lease): string => `${job.workspaceId} ${job.id} ${token}`
