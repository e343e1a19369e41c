import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { RunId } from "../../../../core/platform/kernel/index.js"
import { formatUsd } from "../../../../core/platform/models/index.js"
import type { Feedback, RunStore } from "../../../../core/work/agent-runs/index.js"
import { toNumber } from "../../codec.js"
import { asUnits } from "../../columns.js"
import { done, hasRows, inBatches, insertRows, readAll, readCount } from "../../rows.js"
import {
  approvalFromRow,
  approvalToRow,
  citationRows,
  feedbackFromRow,
  feedbackToRow,
  ofRun
} from "./rows.js"

/** A part of the methods of the run store: here approvals, feedback, effects of writes, citations and spend. */
type Methods<Name extends keyof RunStore["Type"]> = Pick<RunStore["Type"], Name>

export const approvalMethods = (
  sql: SqlClient.SqlClient
): Methods<"addApproval" | "approvals" | "decide" | "expired"> => ({
  addApproval: (workspace, approval) =>
    insertRows(sql, "agent_approval", [{ workspace_id: workspace, ...approvalToRow(approval) }]),
  approvals: (workspace, run) =>
    sql`select * from agent_approval where workspace_id = ${workspace} and run_id = ${run} order by id`.pipe(
      readAll(approvalFromRow)
    ),
  decide: (workspace, id, { decidedAt, decidedBy, note, status }) =>
    sql`update agent_approval set status = ${status}, decided_by = ${decidedBy}, decided_at = ${decidedAt}, note = ${note}
      where workspace_id = ${workspace} and id = ${id} and status = 'open' returning id`.pipe(hasRows),
  expired: (workspace, at) =>
    sql<{ run_id: RunId }>`select distinct run_id from agent_approval
      where workspace_id = ${workspace} and status = 'open' and expires_at <= ${at}`.pipe(
      readAll(({ run_id }) => run_id)
    )
})

export const feedbackMethods = (sql: SqlClient.SqlClient): Methods<"addFeedback" | "feedback"> => ({
  addFeedback: (workspace, run, feedback) =>
    insertRows(sql, "agent_feedback", [{ workspace_id: workspace, ...feedbackToRow(run, feedback) }]),
  feedback: (workspace, runs) =>
    inBatches(
      runs,
      (batch) => sql`select * from agent_feedback
        where workspace_id = ${workspace} and ${sql.in("run_id", batch)} order by id`
    ).pipe(
      Effect.map((rows) => {
        const found = new Map<RunId, Array<Feedback>>()
        for (const row of rows) {
          const { runId } = ofRun.read(row)
          found.set(runId, [...(found.get(runId) ?? []), feedbackFromRow(row)])
        }
        return found
      }),
      Effect.orDie
    )
})

export const ledgerMethods = (
  sql: SqlClient.SqlClient
): Methods<"addEffects" | "effects" | "addCitations" | "countCiting" | "spend" | "addSpend"> => ({
  addEffects: (workspace, step, effects) =>
    Effect.gen(function* () {
      const [row] = yield* sql<{ n: unknown }>`select count(*) as n from agent_effect
        where workspace_id = ${workspace} and step_id = ${step}`
      yield* insertRows(
        sql,
        "agent_effect",
        effects.map(({ action, subjectId }, at) => ({
          workspace_id: workspace,
          step_id: step,
          seq: toNumber(row?.n) + at,
          action,
          subject_id: subjectId
        }))
      )
    }).pipe(Effect.orDie),
  effects: (workspace, step) =>
    sql<{ action: string; subject_id: string }>`select action, subject_id from agent_effect
      where workspace_id = ${workspace} and step_id = ${step} order by seq`.pipe(
      readAll(({ action, subject_id }) => ({ action, subjectId: subject_id }))
    ),
  addCitations: (workspace, run, citations) =>
    insertRows(
      sql,
      "agent_citation",
      citationRows(run, citations).map((row) => ({ workspace_id: workspace, ...row }))
    ),
  countCiting: (workspace, document) =>
    sql<{ n: unknown }>`select count(distinct run_id) as n from agent_citation
      where workspace_id = ${workspace} and document_id = ${document}`.pipe(readCount),
  spend: (workspace, month) =>
    sql<{ spent: string; reserved: string }>`select cast(spent_usd_1e10 as text) as spent,
        cast(reserved_usd_1e10 as text) as reserved from agent_spend
      where workspace_id = ${workspace} and month = ${month}`.pipe(
      Effect.map(([row]) => ({
        spentUsd: formatUsd(BigInt(row?.spent ?? "0")),
        reservedUsd: formatUsd(BigInt(row?.reserved ?? "0"))
      })),
      Effect.orDie
    ),
  addSpend: (workspace, month, { reservedUsd, spentUsd }) =>
    done(sql`insert into agent_spend (workspace_id, month, spent_usd_1e10, reserved_usd_1e10)
      values (${workspace}, ${month}, cast(${asUnits(spentUsd)} as bigint), cast(${asUnits(reservedUsd)} as bigint))
      on conflict (workspace_id, month) do update set
        spent_usd_1e10 = agent_spend.spent_usd_1e10 + excluded.spent_usd_1e10,
        reserved_usd_1e10 = agent_spend.reserved_usd_1e10 + excluded.reserved_usd_1e10`)
})
