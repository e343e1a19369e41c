import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { AnswerStore, type StoredAnswer } from "../../../core/answering/index.js"
import { type AnswerId, serviceLayer } from "../../../core/kernel/index.js"
import { fromJson, toJson } from "../codec.js"
import { inBatches, insertTogether, readCount, readFirst } from "../rows.js"

/** A row of an answer. */
export interface AnswerRow {
  readonly id: AnswerId
  readonly question: string
  readonly answer: string
  readonly asked_by: string
  readonly activity: string
  readonly created_at: string
}

export const answerFromRow = ({ asked_by, answer, created_at, ...row }: AnswerRow): StoredAnswer => ({
  id: row.id,
  question: row.question,
  answer: fromJson(answer),
  askedBy: asked_by,
  activity: row.activity,
  createdAt: created_at
})

export const sqlAnswerStore = serviceLayer(
  AnswerStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      add: (workspace, answers) =>
        insertTogether(sql, [
          {
            table: "answer",
            rows: answers.map(({ activity, answer, askedBy, createdAt, id, question }) => ({
              workspace_id: workspace,
              id,
              question,
              answer: toJson(answer),
              asked_by: askedBy,
              activity,
              created_at: createdAt
            }))
          },
          {
            table: "answer_conversation",
            rows: answers.flatMap(({ answer: { conversationId }, askedBy, createdAt, id }) =>
              conversationId === undefined
                ? []
                : [
                    {
                      workspace_id: workspace,
                      conversation_id: conversationId,
                      asked_by: askedBy,
                      created_at: createdAt,
                      answer_id: id
                    }
                  ]
            )
          },
          {
            table: "answer_source",
            rows: answers.flatMap(({ cited, id }) =>
              cited.map(({ chunkId, documentId }) => ({
                workspace_id: workspace,
                document_id: documentId,
                answer_id: id,
                chunk_id: chunkId
              }))
            )
          }
        ]),
      turns: (workspace, { askedBy, conversationId, limit }) =>
        sql<Pick<AnswerRow, "question" | "answer">>`select a.question, a.answer
          from answer_conversation c join answer a on a.workspace_id = c.workspace_id and a.id = c.answer_id
          where c.workspace_id = ${workspace} and c.conversation_id = ${conversationId}
            and c.asked_by = ${askedBy}
          order by c.created_at desc, c.answer_id desc limit ${limit}`.pipe(
          Effect.map((rows) =>
            rows
              .map(({ answer, question }) => {
                const given: StoredAnswer["answer"] = fromJson(answer)
                return { question: given.standaloneQuestion ?? question, answer: given.answer }
              })
              .filter(({ question }) => question !== "")
              .reverse()
          ),
          Effect.orDie
        ),
      find: (workspace, id) =>
        sql<AnswerRow>`select id, question, answer, asked_by, activity, created_at from answer
          where workspace_id = ${workspace} and id = ${id}`.pipe(readFirst(answerFromRow)),
      countCiting: (workspace, document) =>
        sql<{ n: unknown }>`select count(distinct answer_id) as n from answer_source
          where workspace_id = ${workspace} and document_id = ${document}`.pipe(readCount),
      prune: (workspace, before, limit) =>
        Effect.gen(function* () {
          const old = yield* sql<{ id: string }>`select id from answer
            where workspace_id = ${workspace} and created_at < ${before} order by created_at limit ${limit}`
          const ids = old.map(({ id }) => id)
          for (const table of ["answer_source", "answer_conversation", "answer"] as const) {
            const column = table === "answer" ? "id" : "answer_id"
            yield* inBatches(
              ids,
              (batch) =>
                sql`delete from ${sql(table)} where workspace_id = ${workspace} and ${sql.in(column, batch)}`
            )
          }
          return ids.length
        }).pipe(Effect.orDie)
    }
  })
)
