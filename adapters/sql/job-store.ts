import * as SqlClient from "@effect/sql/SqlClient"
import * as Chunk from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { JobStore } from "../../core/jobs/index.js"
import { Ids } from "../../core/kernel/index.js"
import { dialect } from "./dialect.js"
import { makeClaim } from "./job-claim.js"
import { makeDue } from "./job-due.js"
import { makeSucceed } from "./job-ending.js"
import { makeHolding } from "./job-holding.js"
import { makeListing } from "./job-listing.js"
import { makeRecovery } from "./job-recovery.js"
import { makeRecur } from "./job-recurring.js"
import { type JobRow, newRow, toJob } from "./job-rows.js"
import { JobSignals } from "./job-signals.js"
import { writing } from "./job-writing.js"

/**
 * The queue as one table. A transaction begins as a writer on SQLite (see its client). A job that goes back to
 * waiting while its equal waits already ends `cancelled`: the one that waits does its work.
 *
 * @param isOwnerGone True when the process behind a lease's owner is known to be no more: its jobs need not
 * wait for the end of the lease.
 */
export const sqlJobStore = (options: { readonly isOwnerGone: (owner: string) => boolean }) =>
  Layer.effect(
    JobStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const signals = yield* JobSignals
      const ids = yield* Ids
      const enqueue = makeEnqueue(sql, ids, signals.changed)
      return {
        enqueue,
        recur: makeRecur(sql, enqueue, signals.changed),
        due: makeDue(sql),
        claim: makeClaim(sql),
        ...makeHolding(sql, signals.changed),
        succeed: makeSucceed(sql, signals.changed),
        ...makeRecovery(sql, signals.changed, options.isOwnerGone),
        ...makeListing(sql),
        watch: signals.watch,
        watchDue: signals.watchDue
      }
    })
  )

/** Rows of one insert statement. */
const insertMax = 200

const makeEnqueue =
  (sql: SqlClient.SqlClient, ids: Ids["Type"], changed: Effect.Effect<void>): JobStore["Type"]["enqueue"] =>
  (workspace, jobs) =>
    writing(
      changed,
      Effect.gen(function* () {
        const nowMs = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
        const asked = jobs.map((job) => newRow(ids, workspace, job, nowMs))
        // One statement may meet a key once only: of equal jobs asked together the first is inserted.
        const distinct = Chunk.dedupeWith(asked, (a, b) => nameOf(a) === nameOf(b))
        const rows = yield* Effect.forEach(Chunk.chunksOf(distinct, insertMax), (batch) => insert(sql, batch))
        const found = new Map(rows.flat().map((row) => [nameOf(row), toJob(row)]))
        return asked.flatMap((row) => found.get(nameOf(row)) ?? [])
      })
    )

/** What tells a waiting job from others of its workspace. */
const nameOf = (row: Pick<JobRow, "id" | "kind" | "dedupe_key">) =>
  row.dedupe_key === null ? row.id : JSON.stringify([row.kind, row.dedupe_key])

const insert = (sql: SqlClient.SqlClient, rows: ReadonlyArray<ReturnType<typeof newRow>>) =>
  sql<JobRow>`insert into job ${sql.insert([...rows])}
    on conflict (workspace_id, kind, dedupe_key) where status in ('queued', 'scheduled') and dedupe_key is not null
    do update set
      priority = case when excluded.priority < job.priority then excluded.priority else job.priority end,
      status = case when job.attempt = 0 and excluded.run_at < job.run_at then excluded.status else job.status end,
      run_at = case when job.attempt = 0 and excluded.run_at < job.run_at then excluded.run_at else job.run_at end
    returning * ${dialect(sql).tellsQueue}`
