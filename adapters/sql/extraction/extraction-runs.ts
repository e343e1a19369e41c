import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { JobId, WorkspaceScope } from "../../../core/kernel/index.js"
import { toNumber } from "../codec.js"
import { insertRows } from "../rows.js"

/** Returns numbers for runs, assigning new ones in the caller's unit of work; called with few runs at a time. */
export const runNumbers = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, ids: ReadonlyArray<JobId>) =>
  Effect.gen(function* () {
    const distinctIds = [...new Set(ids)]
    if (distinctIds.length === 0) return new Map<JobId, number>()
    const known = yield* sql<{ job_id: JobId; number: unknown }>`select job_id, number from extraction_run
      where workspace_id = ${workspace} and ${sql.in("job_id", distinctIds)}`
    const numbers = new Map(known.map(({ job_id, number }) => [job_id, toNumber(number)]))
    const fresh = distinctIds.filter((id) => !numbers.has(id))
    if (fresh.length === 0) return numbers
    const [last] = yield* sql<{
      number: unknown
    }>`select coalesce(max(number), 0) as number from extraction_run
      where workspace_id = ${workspace}`
    for (const [place, id] of fresh.entries()) numbers.set(id, toNumber(last?.number) + 1 + place)
    yield* insertRows(
      sql,
      "extraction_run",
      fresh.map((id) => ({ workspace_id: workspace, number: numbers.get(id) ?? 0, job_id: id }))
    )
    return numbers
  })

/** Returns the column with the run of a mention `m`. */
export const runColumn = (sql: SqlClient.SqlClient, workspace: WorkspaceScope) =>
  sql`(select r.job_id from extraction_run r where r.workspace_id = ${workspace} and r.number = m.run) as run_id`
