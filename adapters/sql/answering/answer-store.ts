import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { AnswerStore, type StoredAnswer } from "../../../core/answering/index.js"
import { serviceLayer } from "../../../core/kernel/index.js"
import { fromJson } from "../codec.js"
import { columnsOf, json, text } from "../columns.js"
import { inBatches, insertTogether, readCount, readFirst } from "../rows.js"

const columns = columnsOf<StoredAnswer>({
  id: text(),
  question: text(),
  answer: json(),
  askedBy: text(),
  activity: text(),
  createdAt: text()
})

export const answerFromRow = columns.read

export const sqlAnswerStore = serviceLayer(
  AnswerStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      add: (workspace, answers) =>
        insertTogether(sql, [
          {
            table: "answer",
            rows: answers.map((answer) => ({ workspace_id: workspace, ...columns.write(answer) }))
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
        sql<{ question: string; answer: string }>`select a.question, a.answer
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
        sql`select * from answer where workspace_id = ${workspace} and id = ${id}`.pipe(
          readFirst(answerFromRow)
        ),
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
