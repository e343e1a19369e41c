import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Due, DueKind } from "../../../../core/platform/jobs/index.js"
import { dialect } from "../../dialect.js"
import type { QueueClock } from "./queue-clock.js"

interface DueRow {
  /** Null in the last row, which is always present. */
  readonly kind: string | null
  readonly first: DueKind["first"] | null
  readonly last: DueKind["last"] | null
  readonly next: string | null
  readonly clock_ms: unknown
}

/**
 * Returns the kinds with due jobs by skipping through the ready index. One statement for all kinds, because workers
 * run it before each round; read-only, so that an idle worker never takes the write lock.
 */
export const makeDue = (sql: SqlClient.SqlClient, clock: QueueClock): Effect.Effect<Due> =>
  Effect.gen(function* () {
    const rows = yield* clock.noting(sql<DueRow>`
      with recursive waits (kind) as (
        select min(kind) from job where status = 'queued'
        union all
        select (select min(next.kind) from job next where next.status = 'queued' and next.kind > waits.kind)
          from waits where waits.kind is not null
      )
      select kind,
          (select min(job.workspace_id) from job where job.status = 'queued' and job.kind = waits.kind) as first,
          (select max(job.workspace_id) from job where job.status = 'queued' and job.kind = waits.kind) as last,
          (select min(run_at) from job where status = 'scheduled') as next,
          ${dialect(sql).clockMs} as clock_ms
        from waits`)
    const nowMs = yield* clock.nowMs
    const next = Option.fromNullable(rows[0]?.next)
    return {
      kinds: rows.flatMap(({ first, kind, last }) =>
        kind === null || first === null || last === null ? [] : [{ kind, first, last }]
      ),
      nextMs: Option.map(next, (moment) => Math.max(0, Date.parse(moment) - nowMs))
    }
  }).pipe(Effect.orDie)
