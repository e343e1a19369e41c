import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { StructuredAnswer } from "../../../../core/answers/answering/index.js"

import {
  type DocumentMentions,
  Report,
  type ReportItem,
  type ReportStore,
  type UndecidedAnswer
} from "../../../../core/upkeep/overview/index.js"
import { fromJson, ofShape, toJson } from "../../codec.js"
import { columnsOf, jsonObject, number, text } from "../../columns.js"
import { done, insertRows, readAll, readFirst, readReadable } from "../../rows.js"

/** Columns of the table `report` that lists show; the body is JSON. */
const itemColumns = columnsOf<ReportItem>({
  id: text(),
  kind: text(),
  title: text(),
  status: text(),
  layoutVersion: number(),
  createdBy: text(),
  generatedAt: text()
})
const { read: bodyOf } = columnsOf<{ body: object }>({ body: jsonObject() })

export const reportFromRow = (row: object): Report => {
  const item = itemColumns.read(row)
  return ofShape(Report, `the report ${item.id}`, { ...item, ...bodyOf(row).body })
}

interface AnswerRow {
  readonly id: UndecidedAnswer["id"]
  readonly question: string
  readonly answer: string
  readonly created_at: string
}

export const reports: Effect.Effect<ReportStore, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    add: (workspace, reports) =>
      insertRows(
        sql,
        "report",
        reports.map(({ createdBy, generatedAt, id, kind, layoutVersion, status, title, ...body }) => ({
          workspace_id: workspace,
          ...itemColumns.write({ createdBy, generatedAt, id, kind, layoutVersion, status, title }),
          body: toJson(body)
        }))
      ),
    archive: (workspace, kind, title) =>
      done(sql`update report set status = 'archived'
          where workspace_id = ${workspace} and kind = ${kind} and title = ${title} and status = 'ready'`),
    find: (workspace, id) =>
      sql`select * from report
          where workspace_id = ${workspace} and id = ${id}`.pipe(readFirst(reportFromRow)),
    list: (workspace) =>
      sql`select id, kind, title, status, generated_at, created_by, layout_version from report
          where workspace_id = ${workspace} order by generated_at desc, id desc`.pipe(
        Effect.map((rows) => ({ items: rows.map(itemColumns.read), total: rows.length })),
        Effect.orDie
      ),
    mentions: (workspace) =>
      // One place under two names of one head is one mention.
      sql`select h.id, h.name, h.type, p.document_id, p.n from (
            select head_id, document_id, count(*) as n from (
              select distinct e.head_id, d.id as document_id, m.label, m.start_offset from mention m
                join id_number en on en.workspace_id = ${workspace} and en.number = m.entity_no
                join id_number dn on dn.workspace_id = ${workspace} and dn.number = m.document_no
                join entity e on e.workspace_id = ${workspace} and e.id = en.id
                join document d on d.workspace_id = ${workspace} and d.id = dn.id and d.deleted_at is null
              where m.workspace_id = ${workspace}
            ) as places group by head_id, document_id) as p
          join entity h on h.workspace_id = ${workspace} and h.id = p.head_id
            and h.deleted_at is null and h.merged_into is null
          order by h.id, p.document_id`.pipe(
        readAll(
          columnsOf<DocumentMentions>({
            entityId: text("id"),
            entityName: text("name"),
            entityType: text("type"),
            documentId: text(),
            mentions: number("n")
          }).read
        )
      ),
    undecidedAnswers: (workspace, from, to) =>
      sql<AnswerRow>`select id, question, answer, created_at from answer a
          where workspace_id = ${workspace} and created_at >= ${from} and created_at < ${to}
            and not exists (select 1 from policy_decision d
              where d.workspace_id = ${workspace} and d.answer_id = a.id)
          order by created_at, id`.pipe(
        readReadable("answers", (row) => ({
          id: row.id,
          question: row.question,
          answer: ofShape(StructuredAnswer, `the answer ${row.id}`, fromJson(row.answer)),
          createdAt: row.created_at
        }))
      )
  }
})
