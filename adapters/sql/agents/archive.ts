import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { WorkspaceScope } from "../../../core/kernel/index.js"
import type { RecordOf } from "../../../core/transfer/index.js"
import { insertRows } from "../rows.js"
import { eachRecord, type Gather } from "../transfer/workspace-archive-pages.js"
import {
  type AgentRow,
  type ApprovalRow,
  agentFromRow,
  agentToRow,
  approvalFromRow,
  approvalToRow,
  type FeedbackRow,
  feedbackFromRow,
  feedbackToRow,
  type RunRow,
  runFromRow,
  runToRow,
  type StepRow,
  stepFromRow,
  stepToRow,
  type VersionRow,
  versionFromRow,
  versionToRow
} from "./rows.js"
import { runColumns } from "./run-store.js"

/** Rows that one statement reads; runs and steps hold what models and tools said. */
const [pageSize, largePageSize] = [500, 50]

/** Agents with their versions, and the runs that are not under way with what belongs to them, in the order of an export. */
export const agentRecords = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, gather: Gather) => {
  const rests = sql`exists (select 1 from agent_run r where r.workspace_id = t.workspace_id and r.id = t.run_id
    and r.status not in ('queued', 'running'))`
  return Stream.empty.pipe(
    Stream.concat(
      eachRecord(
        pageSize,
        (after: AgentRow | undefined) => sql<AgentRow>`select * from agent
          where workspace_id = ${workspace} and id > ${after?.id ?? ""} order by id limit ${pageSize}`,
        (row): RecordOf<"agent"> => ({ kind: "agent", ...agentFromRow(row) }),
        { kind: "agent", gather }
      )
    ),
    Stream.concat(
      eachRecord(
        pageSize,
        (after: ArchivedVersionRow | undefined) => sql<ArchivedVersionRow>`select * from agent_version
          where workspace_id = ${workspace} and (agent_id, number) > (${after?.agent_id ?? ""}, ${after?.number ?? 0})
          order by agent_id, number limit ${pageSize}`,
        (row): RecordOf<"agent_version"> => ({
          kind: "agent_version",
          agentId: row.agent_id,
          ...versionFromRow(row)
        }),
        { kind: "agent_version", gather }
      )
    ),
    Stream.concat(
      eachRecord(
        largePageSize,
        (after: RunRow | undefined) => sql<RunRow>`select ${sql.literal(runColumns)} from agent_run
          where workspace_id = ${workspace} and id > ${after?.id ?? ""} and status not in ('queued', 'running')
          order by id limit ${largePageSize}`,
        runRecord,
        { kind: "run", gather }
      )
    ),
    Stream.concat(
      eachRecord(
        largePageSize,
        (after: ArchivedStepRow | undefined) => sql<ArchivedStepRow>`select t.*,
            cast(t.cost_usd_1e10 as text) as cost, cast(t.reserved_usd_1e10 as text) as reserved
          from agent_step t where t.workspace_id = ${workspace}
            and (t.run_id, t.idx) > (${after?.run_id ?? ""}, ${after?.idx ?? -1}) and ${rests}
          order by t.run_id, t.idx limit ${largePageSize}`,
        (row): RecordOf<"step"> => {
          const { kind, reservedUsd: _, ...step } = stepFromRow(row)
          return { ...step, kind: "step", step: kind, runId: row.run_id }
        },
        { kind: "step", gather }
      )
    ),
    Stream.concat(
      eachRecord(
        pageSize,
        (after: ApprovalRow | undefined) => sql<ApprovalRow>`select t.* from agent_approval t
          where t.workspace_id = ${workspace} and t.id > ${after?.id ?? ""} and ${rests}
          order by t.id limit ${pageSize}`,
        (row): RecordOf<"approval"> => ({ kind: "approval", ...approvalFromRow(row) }),
        { kind: "approval", gather }
      )
    ),
    Stream.concat(
      eachRecord(
        pageSize,
        (after: FeedbackRow | undefined) => sql<FeedbackRow>`select t.* from agent_feedback t
          where t.workspace_id = ${workspace} and t.id > ${after?.id ?? ""} and ${rests}
          order by t.id limit ${pageSize}`,
        (row): RecordOf<"feedback"> => {
          const { kind, ...feedback } = feedbackFromRow(row)
          return { ...feedback, kind: "feedback", about: kind, runId: row.run_id }
        },
        { kind: "feedback", gather }
      )
    )
  )
}

interface ArchivedVersionRow extends VersionRow {
  readonly agent_id: RecordOf<"agent_version">["agentId"]
}

interface ArchivedStepRow extends StepRow {
  readonly run_id: RecordOf<"step">["runId"]
}

/** What belongs to whoever works on a run stays here. */
const runRecord = (row: RunRow): RecordOf<"run"> => {
  const { cancelRequested: _, fence: _fence, leaseUntil: _lease, ...run } = runFromRow(row)
  // The statement leaves out runs that are under way; the record's schema checks all of it.
  return { kind: "run", ...run } as RecordOf<"run">
}

/** Writes these records. */
export const agentWriter = (sql: SqlClient.SqlClient) => ({
  agent: (workspace: WorkspaceScope, records: ReadonlyArray<RecordOf<"agent">>) =>
    insertRows(
      sql,
      "agent",
      records.map((agent) => ({ workspace_id: workspace, ...agentToRow(agent) }))
    ),
  agent_version: (workspace: WorkspaceScope, records: ReadonlyArray<RecordOf<"agent_version">>) =>
    insertRows(
      sql,
      "agent_version",
      records.map(({ agentId, ...version }) => ({
        workspace_id: workspace,
        ...versionToRow(agentId, version)
      }))
    ),
  run: (workspace: WorkspaceScope, records: ReadonlyArray<RecordOf<"run">>) =>
    Effect.zipRight(
      insertRows(
        sql,
        "agent_run",
        records.map((run) => ({
          workspace_id: workspace,
          ...runToRow({ ...run, cancelRequested: false, fence: 0, leaseUntil: null })
        }))
      ),
      insertRows(
        sql,
        "agent_citation",
        records.flatMap(({ id, output }) =>
          [
            ...new Map((output?.citations ?? []).map((one) => [`${one.docId} ${one.chunkId}`, one])).values()
          ].map(({ chunkId, docId }) => ({
            workspace_id: workspace,
            document_id: docId,
            run_id: id,
            chunk_id: chunkId
          }))
        )
      )
    ),
  step: (workspace: WorkspaceScope, records: ReadonlyArray<RecordOf<"step">>) =>
    insertRows(
      sql,
      "agent_step",
      records.map(({ runId, step, ...rest }) => ({
        workspace_id: workspace,
        run_id: runId,
        ...stepToRow({ ...rest, kind: step, reservedUsd: "0" })
      }))
    ),
  approval: (workspace: WorkspaceScope, records: ReadonlyArray<RecordOf<"approval">>) =>
    insertRows(
      sql,
      "agent_approval",
      records.map((approval) => ({ workspace_id: workspace, ...approvalToRow(approval) }))
    ),
  feedback: (workspace: WorkspaceScope, records: ReadonlyArray<RecordOf<"feedback">>) =>
    insertRows(
      sql,
      "agent_feedback",
      records.map(({ about, runId, ...feedback }) => ({
        workspace_id: workspace,
        run_id: runId,
        ...feedbackToRow({ ...feedback, kind: about })
      }))
    )
})
