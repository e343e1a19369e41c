import * as SqlClient from "@effect/sql/SqlClient"
import * as Chunk from "effect/Array"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import { JobStore } from "../../../../core/platform/jobs/index.js"
import { Ids, serviceLayer } from "../../../../core/platform/kernel/index.js"
import { toNumber } from "../../codec.js"
import { dialect } from "../../dialect.js"
import { makeClaim } from "./job-claim.js"
import { makeDue } from "./job-due.js"
import { makeSucceed } from "./job-ending.js"
import { makeHolding } from "./job-holding.js"
import { jobInspection } from "./job-inspection.js"
import { makeListing } from "./job-listing.js"
import { makeRecovery } from "./job-recovery.js"
import { makeRecur } from "./job-recurring.js"
import { type JobRow, newRow, toJob, writing } from "./job-rows.js"
import { type MachineClocks, makeQueueClock, type QueueClock } from "./queue-clock.js"

interface JobStoreOptions<R> {
  /**
   * Returns true when the process of a lease's owner is known to be dead, so that its jobs need not wait for the end
   * of the lease.
   */
  readonly isOwnerGone: (owner: string) => boolean
  readonly signals: Effect.Effect<JobSignals, never, R>
  /** Default: the machine's clocks. */
  readonly clocks?: MachineClocks | undefined
}

/**
 * Provides the job queue as one table. On SQLite a transaction begins with the write lock (see its client). A job
 * that returns to the queue while an equal one is waiting becomes `cancelled`; the waiting one does its work.
 */
export const sqlJobStore = <R>({ clocks, isOwnerGone, signals: telling }: JobStoreOptions<R>) =>
  serviceLayer(
    JobStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const signals = yield* telling
      const ids = yield* Ids
      const clock = makeQueueClock(sql, clocks)
      const enqueue = makeEnqueue(sql, clock, ids, signals.changed)
      return {
        enqueue,
        recur: makeRecur(sql, clock, enqueue, signals.changed),
        due: makeDue(sql, clock),
        claim: makeClaim(sql, clock),
        ...makeHolding(sql, clock, signals.changed),
        succeed: makeSucceed(sql, clock, signals.changed),
        ...makeRecovery(sql, clock, signals.changed, isOwnerGone),
        ...makeListing(sql),
        watch: signals.watch,
        watchDue: signals.watchDue,
        inspection: yield* jobInspection({ isOwnerGone })
      }
    })
  )

/** Rows per insert statement. */
const insertMax = 200

const makeEnqueue =
  (
    sql: SqlClient.SqlClient,
    clock: QueueClock,
    ids: Ids["Type"],
    changed: Effect.Effect<void>
  ): JobStore["Type"]["enqueue"] =>
  (workspace, jobs) =>
    writing(
      changed,
      Effect.gen(function* () {
        // Delays must be relative to the clock that all processes share.
        const isPutOff = jobs.some(({ delayMs = 0 }) => delayMs > 0)
        const nowMs = yield* isPutOff ? clock.freshMs : clock.nowMs
        const newRows = jobs.map((job) => newRow(ids, workspace, job, nowMs))
        // One statement may use a key only once, so the first of equal jobs is inserted.
        const distinct = Chunk.dedupeWith(newRows, (a, b) => waitingKey(a) === waitingKey(b))
        const rows = yield* Effect.forEach(Chunk.chunksOf(distinct, insertMax), (batch) => insert(sql, batch))
        const found = new Map(rows.flat().map((row) => [waitingKey(row), toJob(row)]))
        return newRows.flatMap((row) => found.get(waitingKey(row)) ?? [])
      })
    )

/** Returns the key that identifies a waiting job within its workspace. */
const waitingKey = (row: Pick<JobRow, "id" | "kind" | "dedupe_key">) =>
  row.dedupe_key === null ? row.id : JSON.stringify([row.kind, row.dedupe_key])

type NewRow = ReturnType<typeof newRow>

const insert = (sql: SqlClient.SqlClient, rows: ReadonlyArray<NewRow>) =>
  Effect.gen(function* () {
    // The no-op update locks and returns the existing row; setting an indexed column would rewrite the index.
    const found = yield* sql<JobRow>`insert into job ${sql.insert([...rows])}
      on conflict (workspace_id, kind, dedupe_key) where status in ('queued', 'scheduled') and dedupe_key is not null
      do update set max_attempts = job.max_attempts
      returning * ${dialect(sql).tellsQueue}`
    const newJobByKey = new Map(rows.map((row) => [waitingKey(row), row]))
    return yield* Effect.forEach(found, (row) => {
      const wanted = newJobByKey.get(waitingKey(row))
      return wanted === undefined || isAsSoon(row, wanted) ? Effect.succeed(row) : hasten(sql, row, wanted)
    })
  })

/** Returns whether a waiting job runs as early as the requested one. A job that was tried keeps its due time. */
const isAsSoon = (row: JobRow, wanted: NewRow): boolean =>
  toNumber(row.priority) <= wanted.priority && (toNumber(row.attempt) > 0 || row.run_at <= wanted.run_at)

const hasten = (sql: SqlClient.SqlClient, row: JobRow, { priority, run_at, status }: NewRow) =>
  Effect.map(
    sql<JobRow>`update job set
        priority = case when ${priority} < priority then ${priority} else priority end,
        status = case when attempt = 0 and ${run_at} < run_at then ${status} else status end,
        run_at = case when attempt = 0 and ${run_at} < run_at then ${run_at} else run_at end
      where workspace_id = ${row.workspace_id} and id = ${row.id} and status in ('queued', 'scheduled')
      returning * ${dialect(sql).tellsQueue}`,
    ([hastened]) => hastened ?? row
  )

/** Signals changes of the queue between processes that share a database. */
export interface JobSignals {
  /** Signals all watchers, if the changing statement does not; sent after the running unit of work. */
  readonly changed: Effect.Effect<void>
  /** As `JobStore.watch`. */
  readonly watch: Effect.Effect<Effect.Effect<void>, never, Scope>
  /** As `JobStore.watchDue`. */
  readonly watchDue: Effect.Effect<Effect.Effect<void>, never, Scope>
}
