import * as Effect from "effect/Effect"
import type { EvalId } from "../../../../core/platform/kernel/index.js"
import { OverviewStore } from "../../../../core/upkeep/overview/index.js"
import type { RecordOf } from "../../../../core/upkeep/transfer/index.js"
import { EvalStore } from "../../../../core/work/evaluation/index.js"
import { columnsOf, text } from "../../columns.js"
import { tablePages } from "../../table-pages.js"
import { runFromRow, topicFromRow } from "../../work/evaluation/eval-store.js"
import { judgmentColumns, labelColumns } from "../../work/evaluation/judgment-store.js"
import { reportFromRow } from "../../work/evaluation/report-store.js"
import { type Source, tableRecords, type Writers } from "./workspace-archive-pages.js"

const ofEval = columnsOf<{ evalId: EvalId }>({ evalId: text() })

/** Judgments with their labels, evaluation runs with their topics, and reports, in the order of an export. */
export const measureRecords = (source: Source) => [
  judgmentRecords(source),
  tableRecords(source, "eval", { table: "eval_run", select: "t.*, 0 as done", record: runFromRow }),
  tableRecords(source, "eval_topic", {
    table: "eval_topic",
    key: ["eval_id", "place"],
    record: (row) => ({ ...ofEval.read(row), ...topicFromRow(row) })
  }),
  tableRecords(source, "report", {
    table: "report",
    record: (row) => {
      const { kind, ...report } = reportFromRow(row)
      return { ...report, about: kind }
    }
  })
]

const judgmentRecords = (source: Source) =>
  tablePages(source, { table: "judgment" }, (rows: ReadonlyArray<{ readonly query_id: string }>) =>
    Effect.gen(function* () {
      const { gather, sql, workspace } = source
      const topics = [...new Set(rows.map(({ query_id }) => query_id))]
      const labels =
        topics.length === 0
          ? []
          : (yield* sql`select * from judgment_label where workspace_id = ${workspace}
              and ${sql.in("query_id", topics)} order by judge`).map(labelColumns.read)
      return yield* gather("judgment", rows, (row): Effect.Effect<RecordOf<"judgment">> => {
        const judgment = judgmentColumns.read(row)
        const own = labels.filter(
          ({ docId, queryId, set }) =>
            set === judgment.set && queryId === judgment.queryId && docId === judgment.docId
        )
        return Effect.succeed({
          kind: "judgment",
          ...judgment,
          labels: own.map(({ grade, judge, updatedAt }) => ({ judge, grade, updatedAt }))
        })
      })
    })
  )

type MeasureWriters = Pick<Writers, "judgment" | "eval" | "eval_topic" | "report">

/** Writes these records through their stores. */
export const measureWriters = Effect.gen(function* () {
  const [judgments, evals, reports] = [
    (yield* EvalStore).judgments,
    yield* EvalStore,
    (yield* OverviewStore).reports
  ]
  const writers: MeasureWriters = {
    judgment: (workspace, records) =>
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
    eval: (workspace, records) =>
      Effect.forEach(records, ({ kind: _kind, ...run }) => evals.add(workspace, run, []), { discard: true }),
    eval_topic: (workspace, records) =>
      Effect.forEach(
        records,
        ({ evalId, kind: _kind, ...topic }) => evals.addTopics(workspace, evalId, [topic]),
        { discard: true }
      ),
    report: (workspace, records) =>
      reports.add(
        workspace,
        records.map(({ about, kind: _kind, ...report }) => ({ ...report, kind: about }))
      )
  }
  return writers
})
