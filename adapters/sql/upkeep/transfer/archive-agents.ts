import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { RecordOf } from "../../../../core/upkeep/transfer/index.js"
import { insertRows } from "../../rows.js"
import {
  agentColumns,
  approvalFromRow,
  approvalToRow,
  citationRows,
  feedbackFromRow,
  feedbackToRow,
  ofAgent,
  ofRun,
  runColumns,
  runSelection,
  stepColumns,
  stepSelection,
  versionFromRow,
  versionToRow
} from "../../work/agents/rows.js"
import { rowsInto, type Source, tableRecords, type Writers } from "./workspace-archive-pages.js"

/** Rows that one statement reads of runs and steps, which hold what models and tools said. */
const largePageSize = 50

/** Agents with their versions, and the runs that are not under way with what belongs to them, in the order of an export. */
export const agentRecords = (source: Source) => {
  const { sql, workspace } = source
  const isOver = sql`t.status not in ('queued', 'running')`
  const ofOver = sql`exists (select 1 from agent_run r where r.workspace_id = ${workspace} and r.id = t.run_id
    and r.status not in ('queued', 'running'))`
  return [
    tableRecords(source, "agent", { table: "agent", record: agentColumns.read }),
    tableRecords(source, "agent_version", {
      table: "agent_version",
      key: ["agent_id", "number"],
      record: (row) => ({ ...ofAgent.read(row), ...versionFromRow(row) })
    }),
    tableRecords(source, "run", {
      table: "agent_run",
      select: runSelection,
      where: isOver,
      size: largePageSize,
      record: (row) => {
        // Fields of the worker that has the run are not exported.
        const { cancelRequested: _, fence: _fence, leaseUntil: _lease, ...run } = runColumns.read(row)
        // The statement leaves out runs that are under way; the record's schema checks all of it.
        return run as Omit<RecordOf<"run">, "kind">
      }
    }),
    tableRecords(source, "step", {
      table: "agent_step",
      key: ["run_id", "idx"],
      select: stepSelection,
      where: ofOver,
      size: largePageSize,
      record: (row) => {
        const { kind, reservedUsd: _, ...step } = stepColumns.read(row)
        return { ...ofRun.read(row), ...step, step: kind }
      }
    }),
    tableRecords(source, "approval", { table: "agent_approval", where: ofOver, record: approvalFromRow }),
    tableRecords(source, "feedback", {
      table: "agent_feedback",
      where: ofOver,
      record: (row) => {
        const { kind, ...feedback } = feedbackFromRow(row)
        return { ...ofRun.read(row), ...feedback, about: kind }
      }
    })
  ]
}

/** Writes these records. */
export const agentWriters = (
  sql: SqlClient.SqlClient
): Pick<Writers, "agent" | "agent_version" | "run" | "step" | "approval" | "feedback"> => ({
  agent: rowsInto(sql, "agent", agentColumns.write),
  agent_version: rowsInto(sql, "agent_version", ({ agentId, ...version }: RecordOf<"agent_version">) =>
    versionToRow(agentId, version)
  ),
  run: (workspace, records) =>
    Effect.zipRight(
      rowsInto(sql, "agent_run", (run: RecordOf<"run">) =>
        runColumns.write({ ...run, cancelRequested: false, fence: 0 })
      )(workspace, records),
      insertRows(
        sql,
        "agent_citation",
        records.flatMap(({ id, output }) =>
          citationRows(id, output?.citations ?? []).map((row) => ({ workspace_id: workspace, ...row }))
        )
      )
    ),
  step: rowsInto(sql, "agent_step", ({ runId, step, ...rest }: RecordOf<"step">) => ({
    ...ofRun.write({ runId }),
    ...stepColumns.write({ ...rest, kind: step, reservedUsd: "0" })
  })),
  approval: rowsInto(sql, "agent_approval", approvalToRow),
  feedback: rowsInto(sql, "agent_feedback", ({ about, runId, ...feedback }: RecordOf<"feedback">) =>
    feedbackToRow(runId, { ...feedback, kind: about })
  )
})
