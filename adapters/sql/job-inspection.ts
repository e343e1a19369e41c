import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { JobInspection } from "../../core/jobs/index.js"
import { now } from "../../core/kernel/index.js"
import { type JobRow, toJob } from "./job-rows.js"

/**
 * What lies behind the queue, for those who look for damage.
 *
 * @param isOwnerGone As for `sqlJobStore`.
 */
export const sqlJobInspection = (options: { readonly isOwnerGone: (owner: string) => boolean }) =>
  Layer.effect(
    JobInspection,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      lost: (workspace, limit) =>
        Effect.gen(function* () {
          const at = yield* now
          const rows = yield* sql<JobRow & { readonly lease_owner: string; readonly lease_until: string }>`
            select * from job where workspace_id = ${workspace} and status = 'running'`
          return rows
            .filter(({ lease_owner, lease_until }) => lease_until <= at || options.isOwnerGone(lease_owner))
            .slice(0, limit)
            .map(toJob)
        }).pipe(Effect.orDie)
    }))
  )
