import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { StructuredAnswer } from "../../../core/answering/index.js"
import { type DocumentId, type EntityId, serviceLayer } from "../../../core/kernel/index.js"
import { Report, type ReportItem, ReportStore, type UndecidedAnswer } from "../../../core/overview/index.js"
import { fromJson, objectIn, ofShape, readableOf, toJson, toNumber } from "../codec.js"
import { insertRows, readFirst } from "../rows.js"

interface ItemRow {
  readonly id: ReportItem["id"]
  readonly kind: ReportItem["kind"]
  readonly title: string
  readonly status: ReportItem["status"]
  readonly generated_at: string
  readonly created_by: string | null
  readonly layout_version: unknown
}

const itemFromRow = (row: ItemRow): ReportItem => ({
  id: row.id,
  title: row.title,
  kind: row.kind,
  status: row.status,
  layoutVersion: toNumber(row.layout_version),
  createdBy: row.created_by,
  generatedAt: row.generated_at
})

export interface ReportRow extends ItemRow {
  readonly body: string
}

export const reportFromRow = (row: ReportRow): Report =>
  ofShape(Report, `the report ${row.id}`, { ...itemFromRow(row), ...objectIn<object>(row.body) })

interface MentionRow {
  readonly id: EntityId
  readonly name: string
  readonly type: string
  readonly document_id: DocumentId
  readonly n: unknown
}

interface AnswerRow {
  readonly id: UndecidedAnswer["id"]
  readonly question: string
  readonly answer: string
  readonly created_at: string
}

export const sqlReportStore = serviceLayer(
  ReportStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      add: (workspace, reports) =>
        insertRows(
          sql,
          "report",
          reports.map(({ createdBy, generatedAt, id, kind, layoutVersion, status, title, ...body }) => ({
            workspace_id: workspace,
            id,
            kind,
            title,
            status,
            generated_at: generatedAt,
            created_by: createdBy,
            layout_version: layoutVersion,
            body: toJson(body)
          }))
        ),
      archive: (workspace, kind, title) =>
        sql`update report set status = 'archived'
          where workspace_id = ${workspace} and kind = ${kind} and title = ${title} and status = 'ready'`.pipe(
          Effect.asVoid,
          Effect.orDie
        ),
      find: (workspace, id) =>
        sql<ReportRow>`select * from report
          where workspace_id = ${workspace} and id = ${id}`.pipe(readFirst(reportFromRow)),
      list: (workspace) =>
        sql<ItemRow>`select id, kind, title, status, generated_at, created_by, layout_version from report
          where workspace_id = ${workspace} order by generated_at desc, id desc`.pipe(
          Effect.map((rows) => ({ items: rows.map(itemFromRow), total: rows.length })),
          Effect.orDie
        ),
      mentions: (workspace) =>
        // One place under two names of one head is one mention.
        sql<MentionRow>`select h.id, h.name, h.type, p.document_id, p.n from (
            select head_id, document_id, count(*) as n from (
              select distinct e.head_id, d.id as document_id, m.label, m.start_offset from mention m
                join id_number en on en.workspace_id = m.workspace_id and en.number = m.entity_no
                join id_number dn on dn.workspace_id = m.workspace_id and dn.number = m.document_no
                join entity e on e.workspace_id = m.workspace_id and e.id = en.id
                join document d on d.workspace_id = m.workspace_id and d.id = dn.id and d.deleted_at is null
              where m.workspace_id = ${workspace}
            ) as places group by head_id, document_id) as p
          join entity h on h.workspace_id = ${workspace} and h.id = p.head_id
            and h.deleted_at is null and h.merged_into is null
          order by h.id, p.document_id`.pipe(
          Effect.map((rows) =>
            rows.map((row) => ({
              entityId: row.id,
              entityName: row.name,
              entityType: row.type,
              documentId: row.document_id,
              mentions: toNumber(row.n)
            }))
          ),
          Effect.orDie
        ),
      undecidedAnswers: (workspace, from, to) =>
        sql<AnswerRow>`select id, question, answer, created_at from answer a
          where workspace_id = ${workspace} and created_at >= ${from} and created_at < ${to}
            and not exists (select 1 from policy_decision d
              where d.workspace_id = a.workspace_id and d.answer_id = a.id)
          order by created_at, id`.pipe(
          Effect.flatMap((rows) =>
            readableOf(rows, "answers", (row) => ({
              id: row.id,
              question: row.question,
              answer: ofShape(StructuredAnswer, `the answer ${row.id}`, fromJson(row.answer)),
              createdAt: row.created_at
            }))
          ),
          Effect.orDie
        )
    }
  })
)
