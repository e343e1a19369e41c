import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import {
  type JudgeLabel,
  type JudgmentFilter,
  JudgmentStore,
  type StoredJudgment
} from "../../../core/evaluation/index.js"
import { serviceLayer, type WorkspaceScope } from "../../../core/kernel/index.js"
import { fromJson, toJson, toNumber } from "../codec.js"
import { inBatches, insertRows, pageOf, readAll } from "../rows.js"

export interface JudgmentRow {
  readonly id: StoredJudgment["id"]
  readonly set_name: string
  readonly query_id: string
  readonly document_id: string
  readonly query: string
  readonly chunk_id: StoredJudgment["chunkId"]
  readonly quote: string | null
  readonly grade: unknown
  readonly expect_abstain: unknown
  readonly answers: string
  readonly judge: string
  readonly note: string | null
  readonly created_at: string
  readonly updated_at: string
}

export const judgmentFromRow = (row: JudgmentRow): StoredJudgment => ({
  id: row.id,
  set: row.set_name,
  queryId: row.query_id,
  query: row.query,
  docId: row.document_id === "" ? null : (row.document_id as NonNullable<StoredJudgment["docId"]>),
  chunkId: row.chunk_id,
  quote: row.quote,
  grade: row.grade === null ? null : toNumber(row.grade),
  expectAbstain: toNumber(row.expect_abstain) === 1,
  answers: fromJson<Array<string>>(row.answers),
  judge: row.judge,
  note: row.note,
  createdAt: row.created_at,
  updatedAt: row.updated_at
})

const toRow = (workspace: WorkspaceScope, one: StoredJudgment) => ({
  workspace_id: workspace,
  set_name: one.set,
  query_id: one.queryId,
  document_id: one.docId ?? "",
  id: one.id,
  query: one.query,
  chunk_id: one.chunkId,
  quote: one.quote,
  grade: one.grade,
  expect_abstain: one.expectAbstain ? 1 : 0,
  answers: toJson(one.answers),
  judge: one.judge,
  note: one.note,
  created_at: one.createdAt,
  updated_at: one.updatedAt
})

interface LabelRow {
  readonly query_id: string
  readonly document_id: JudgeLabel["docId"]
  readonly judge: string
  readonly grade: unknown
  readonly updated_at: string
}

export const sqlJudgmentStore = serviceLayer(
  JudgmentStore,
  Effect.gen(function* () {
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
          (batch) => sql<JudgmentRow>`select * from judgment where workspace_id = ${workspace}
            and set_name = ${set} and ${sql.in("query_id", batch)}`
        ).pipe(readAll(judgmentFromRow)),
      ofSet: (workspace, set) =>
        sql<JudgmentRow>`select * from judgment where workspace_id = ${workspace} and set_name = ${set}
          order by query_id, document_id`.pipe(readAll(judgmentFromRow)),
      list: (workspace, filter, { limit, offset }) =>
        pageOf(
          { limit, offset },
          sql<JudgmentRow>`select * from judgment where ${matching(workspace, filter)}
            order by set_name, query_id, document_id limit ${limit} offset ${offset}`.pipe(
            Effect.map((rows) => rows.map(judgmentFromRow))
          ),
          sql<{ n: unknown }>`select count(*) as n from judgment where ${matching(workspace, filter)}`.pipe(
            Effect.map(([row]) => toNumber(row?.n))
          )
        ).pipe(Effect.orDie),
      put: (workspace, judgments) =>
        Effect.zipRight(
          Effect.forEach(
            judgments,
            (one) => sql`delete from judgment where workspace_id = ${workspace}
            and set_name = ${one.set} and query_id = ${one.queryId} and document_id = ${one.docId ?? ""}`,
            {
              discard: true
            }
          ),
          insertRows(
            sql,
            "judgment",
            judgments.map((one) => toRow(workspace, one))
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
          ({ docId, grade, judge, queryId, set, updatedAt }) =>
            sql`insert into judgment_label
                (workspace_id, set_name, query_id, document_id, judge, grade, updated_at)
              values (${workspace}, ${set}, ${queryId}, ${docId}, ${judge}, ${grade}, ${updatedAt})
              on conflict (workspace_id, set_name, query_id, document_id, judge)
              do update set grade = excluded.grade, updated_at = excluded.updated_at`,
          { discard: true }
        ).pipe(Effect.orDie),
      labels: (workspace, set) =>
        sql<LabelRow>`select query_id, document_id, judge, grade, updated_at from judgment_label
          where workspace_id = ${workspace} and set_name = ${set} order by query_id, document_id, judge`.pipe(
          Effect.map((rows) =>
            rows.map((row) => ({
              set,
              queryId: row.query_id,
              docId: row.document_id,
              judge: row.judge,
              grade: toNumber(row.grade),
              updatedAt: row.updated_at
            }))
          ),
          Effect.orDie
        )
    }
  })
)

const containing = (text: string): string => `%${text.toLowerCase().replace(/[!%_]/gu, "!$&")}%`
