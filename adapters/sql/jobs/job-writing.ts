import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Runs a change of the queue and signals watchers. SQL errors become defects. */
export const writing = <A, E>(changed: Effect.Effect<void>, change: Effect.Effect<A, E>): Effect.Effect<A> =>
  Effect.zipLeft(Effect.orDie(change), changed)

/** Returns the condition that an equal job is waiting. */
export const equalWaits = (sql: SqlClient.SqlClient) =>
  sql`exists (select 1 from job equal where equal.status in ('queued', 'scheduled')
    and equal.dedupe_key is not null and equal.workspace_id = job.workspace_id and equal.kind = job.kind
    and equal.dedupe_key = job.dedupe_key)`
