import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import type {
  JudgeLabel,
  JudgmentFilter,
  JudgmentStore,
  StoredJudgment
} from "../../../../core/work/evaluation/index.js"
import { columnsOf, flag, json, number, text } from "../../columns.js"
import { inBatches, insertRows, readAll, readPage } from "../../rows.js"

export const judgmentColumns = columnsOf<StoredJudgment>({
  id: text(),
  set: text("set_name"),
  queryId: text(),
  query: text(),
  // Part of the primary key, therefore not null.
  docId: {
    name: "document_id",
    read: (cell) => (cell === "" ? null : (cell as StoredJudgment["docId"])),
    write: (id) => id ?? ""
  },
  chunkId: text(),
  quote: text(),
  grade: number(),
  expectAbstain: flag(),
  answers: json(),
  judge: text(),
  note: text(),
  createdAt: text(),
  updatedAt: text()
})

export const labelColumns = columnsOf<JudgeLabel>({
  set: text("set_name"),
  queryId: text(),
  docId: text("document_id"),
  judge: text(),
  grade: number(),
  updatedAt: text()
})

export const judgments: Effect.Effect<JudgmentStore, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const matching = (workspace: WorkspaceScope, { docId, query, set }: JudgmentFilter) =>
    sql.and([
      sql`workspace_id = ${workspace}`,
      ...(set === undefined ? [] : [sql`set_name = ${set}`]),
      ...(docId === undefined ? [] : [sql`document_id = ${docId}`]),
      ...(query === undefined
        ? []
        : [sql`(query_id = ${query} or lower(query) like ${containing(query)} escape '!')`])
    ])
  const remove = (table: "judgment" | "judgment_label", workspace: WorkspaceScope, one: StoredJudgment) =>
    sql`delete from ${sql(table)} where workspace_id = ${workspace} and set_name = ${one.set}
        and query_id = ${one.queryId} and document_id = ${one.docId ?? ""}`
  return {
    ofTopics: (workspace, set, queryIds) =>
      inBatches(
        queryIds,
        (batch) => sql`select * from judgment where workspace_id = ${workspace}
            and set_name = ${set} and ${sql.in("query_id", batch)}`
      ).pipe(readAll(judgmentColumns.read)),
    ofSet: (workspace, set) =>
      sql`select * from judgment where workspace_id = ${workspace} and set_name = ${set}
          order by query_id, document_id`.pipe(readAll(judgmentColumns.read)),
    list: (workspace, filter, page) =>
      readPage(sql, page, {
        from: sql`judgment where ${matching(workspace, filter)}`,
        order: sql`set_name, query_id, document_id`,
        read: judgmentColumns.read
      }),
    put: (workspace, judgments) =>
      Effect.zipRight(
        Effect.forEach(judgments, (one) => remove("judgment", workspace, one), { discard: true }),
        insertRows(
          sql,
          "judgment",
          judgments.map((one) => ({ workspace_id: workspace, ...judgmentColumns.write(one) }))
        )
      ).pipe(Effect.orDie),
    remove: (workspace, judgments) =>
      Effect.forEach(
        judgments,
        (one) =>
          Effect.zipRight(remove("judgment", workspace, one), remove("judgment_label", workspace, one)),
        { discard: true }
      ).pipe(Effect.orDie),
    label: (workspace, labels) =>
      Effect.forEach(
        labels,
        (label) =>
          sql`insert into judgment_label ${sql.insert({ workspace_id: workspace, ...labelColumns.write(label) })}
              on conflict (workspace_id, set_name, query_id, document_id, judge)
              do update set grade = excluded.grade, updated_at = excluded.updated_at`,
        { discard: true }
      ).pipe(Effect.orDie),
    labels: (workspace, set) =>
      sql`select * from judgment_label where workspace_id = ${workspace} and set_name = ${set}
          order by query_id, document_id, judge`.pipe(readAll(labelColumns.read))
  }
})

const containing = (text: string): string => `%${text.toLowerCase().replace(/[!%_]/gu, "!$&")}%`
