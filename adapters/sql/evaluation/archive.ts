import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { EvalStore, JudgmentStore } from "../../../core/evaluation/index.js"
import type { WorkspaceScope } from "../../../core/kernel/index.js"
import { ReportStore } from "../../../core/overview/index.js"
import type { RecordOf } from "../../../core/transfer/index.js"
import { eachRecord, type Gather, inPages } from "../transfer/workspace-archive-pages.js"
import { type EvalRow, runFromRow, type TopicRow, topicFromRow } from "./eval-store.js"
import { type JudgmentRow, judgmentFromRow } from "./judgment-store.js"
import { type ReportRow, reportFromRow } from "./report-store.js"

/** Rows that one statement reads. */
const pageSize = 500

/** Judgments with their labels, evaluation runs with their topics, and reports, in the order of an export. */
export const measureRecords = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, gather: Gather) =>
  Stream.empty.pipe(
    Stream.concat(judgmentRecords(sql, workspace, gather)),
    Stream.concat(
      eachRecord(
        pageSize,
        (after: EvalRow | undefined) => sql<EvalRow>`select r.*, 0 as done from eval_run r
          where workspace_id = ${workspace} and id > ${after?.id ?? ""} order by id limit ${pageSize}`,
        (row): RecordOf<"eval"> => ({ kind: "eval", ...runFromRow(row) }),
        { kind: "eval", gather }
      )
    ),
    Stream.concat(
      eachRecord(
        pageSize,
        (after: ArchivedTopicRow | undefined) => sql<ArchivedTopicRow>`select * from eval_topic
          where workspace_id = ${workspace}
            and (eval_id > ${after?.eval_id ?? ""} or (eval_id = ${after?.eval_id ?? ""} and place > ${after?.place ?? -1}))
          order by eval_id, place limit ${pageSize}`,
        (row): RecordOf<"eval_topic"> => ({ kind: "eval_topic", evalId: row.eval_id, ...topicFromRow(row) }),
        { kind: "eval_topic", gather }
      )
    ),
    Stream.concat(
      eachRecord(
        pageSize,
        (after: ReportRow | undefined) => sql<ReportRow>`select * from report
          where workspace_id = ${workspace} and id > ${after?.id ?? ""} order by id limit ${pageSize}`,
        (row): RecordOf<"report"> => {
          const { kind, ...report } = reportFromRow(row)
          return { ...report, kind: "report", about: kind }
        },
        { kind: "report", gather }
      )
    )
  )

interface ArchivedTopicRow extends TopicRow {
  readonly eval_id: RecordOf<"eval_topic">["evalId"]
  readonly place: number
}

interface LabelRow {
  readonly set_name: string
  readonly query_id: string
  readonly document_id: string
  readonly judge: string
  readonly grade: unknown
  readonly updated_at: string
}

const judgmentRecords = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, gather: Gather) =>
  inPages(
    pageSize,
    (after: JudgmentRow | undefined) => sql<JudgmentRow>`select * from judgment
      where workspace_id = ${workspace} and id > ${after?.id ?? ""} order by id limit ${pageSize}`,
    (rows) =>
      Effect.gen(function* () {
        const topics = [...new Set(rows.map(({ query_id }) => query_id))]
        const labels =
          topics.length === 0
            ? []
            : yield* sql<LabelRow>`select * from judgment_label where workspace_id = ${workspace}
                and ${sql.in("query_id", topics)} order by judge`
        return yield* gather(
          "judgment",
          rows,
          (row): Effect.Effect<RecordOf<"judgment">> =>
            Effect.succeed({
              kind: "judgment",
              ...judgmentFromRow(row),
              labels: labels.flatMap((label) =>
                label.set_name === row.set_name &&
                label.query_id === row.query_id &&
                label.document_id === row.document_id
                  ? [{ judge: label.judge, grade: Number(label.grade), updatedAt: label.updated_at }]
                  : []
              )
            })
        )
      })
  )

/** Writes these records through their stores. */
export const measureWriter = Effect.gen(function* () {
  const [judgments, evals, reports] = [yield* JudgmentStore, yield* EvalStore, yield* ReportStore]
  return {
    judgment: (workspace: WorkspaceScope, records: ReadonlyArray<RecordOf<"judgment">>) =>
      Effect.zipRight(
        judgments.put(
          workspace,
          records.map(({ kind: _kind, labels: _labels, ...judgment }) => judgment)
        ),
        judgments.label(
          workspace,
          records.flatMap(({ docId, labels, queryId, set }) =>
            docId === null ? [] : labels.map((label) => ({ set, queryId, docId, ...label }))
          )
        )
      ),
    eval: (workspace: WorkspaceScope, records: ReadonlyArray<RecordOf<"eval">>) =>
      Effect.forEach(records, ({ kind: _kind, ...run }) => evals.add(workspace, run, []), { discard: true }),
    eval_topic: (workspace: WorkspaceScope, records: ReadonlyArray<RecordOf<"eval_topic">>) =>
      Effect.forEach(
        records,
        ({ evalId, kind: _kind, ...topic }) => evals.addTopics(workspace, evalId, [topic]),
        { discard: true }
      ),
    report: (workspace: WorkspaceScope, records: ReadonlyArray<RecordOf<"report">>) =>
      reports.add(
        workspace,
        records.map(({ about, kind: _kind, ...report }) => ({ ...report, kind: about }))
      )
  }
})
