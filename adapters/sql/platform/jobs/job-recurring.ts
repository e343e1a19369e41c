import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { type JobStore, type Recurring, recurringPayload } from "../../../../core/platform/jobs/index.js"
import { scopeOf, timestampOf, type WorkspaceId } from "../../../../core/platform/kernel/index.js"
import { toJson } from "../../codec.js"
import { dialect } from "../../dialect.js"
import type { QueueClock } from "./queue-clock.js"

/** Workspaces per call. */
const dueMax = 200

interface DueRow {
  readonly workspace_id: WorkspaceId
  readonly job_id: string | null
}

/**
 * Enqueues due recurring jobs. A row per workspace and kind decides: of concurrent calls, the one that advances it
 * enqueues the job.
 */
export const makeRecur =
  (
    sql: SqlClient.SqlClient,
    clock: QueueClock,
    enqueue: JobStore["Type"]["enqueue"],
    changed: Effect.Effect<void>
  ): JobStore["Type"]["recur"] =>
  (recurring) =>
    Effect.reduce(recurring, 0, (asked, one) =>
      Effect.map(recurOne(sql, clock, enqueue, one), (more) => asked + more)
    ).pipe(
      // Local workers look at the queue after the commit.
      Effect.tap((asked) => (asked > 0 ? changed : Effect.void)),
      Effect.orDie
    )

const recurOne = (
  sql: SqlClient.SqlClient,
  clock: QueueClock,
  enqueue: JobStore["Type"]["enqueue"],
  { everyMs, kind }: Recurring
) =>
  Effect.gen(function* () {
    const nowMs = yield* clock.freshMs
    const [at, next] = [timestampOf(nowMs), timestampOf(nowMs + everyMs)]
    // Read first, because most calls find nothing to write.
    const [seen] = yield* sql<{ readonly moves: unknown; readonly lacks: unknown }>`select
      exists (select 1 from job_cron where kind = ${kind} and (next_at <= ${at} or next_at > ${next})) as moves,
      exists (select 1 from workspace w where not exists
        (select 1 from job_cron c where c.workspace_id = w.id and c.kind = ${kind})) as lacks`
    if (seen?.lacks)
      yield* sql`insert into job_cron (workspace_id, kind, next_at)
        select w.id, ${kind}, ${next} from workspace w where 1 = 1
        on conflict (workspace_id, kind) do nothing`
    if (!seen?.moves) return 0
    // Correct times that are too far ahead, after a clock change or a longer interval.
    yield* sql`update job_cron set next_at = ${next} where kind = ${kind} and next_at > ${next}`
    return yield* sql.withTransaction(ask(sql, enqueue, { kind, at, next }))
  })

/** Advances due rows by an interval and enqueues their jobs; deletes the previous finished job. */
const ask = (
  sql: SqlClient.SqlClient,
  enqueue: JobStore["Type"]["enqueue"],
  { at, kind, next }: { readonly kind: string; readonly at: string; readonly next: string }
) =>
  Effect.gen(function* () {
    const { skipLocked } = dialect(sql)
    const due = yield* sql<DueRow>`update job_cron set next_at = ${next}
      where (workspace_id, kind) in (select workspace_id, kind from job_cron
        where kind = ${kind} and next_at <= ${at} order by next_at, workspace_id limit ${dueMax} ${skipLocked})
      returning workspace_id, job_id`
    for (const { job_id, workspace_id } of due) {
      if (job_id !== null)
        yield* sql`delete from job where workspace_id = ${workspace_id} and id = ${job_id}
          and status in ('succeeded', 'cancelled', 'dead') and payload = ${toJson(recurringPayload)}`
      const [job] = yield* enqueue(scopeOf(workspace_id), [
        { kind, dedupeKey: kind, payload: recurringPayload }
      ])
      yield* sql`update job_cron set job_id = ${job?.id ?? null}
        where workspace_id = ${workspace_id} and kind = ${kind}`
    }
    return due.length
  })
