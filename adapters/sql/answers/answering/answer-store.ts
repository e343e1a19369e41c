import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import {
  type AnswerFeedback,
  AnswerStore,
  type Conversation,
  type ConversationTitle,
  type ListedAnswer,
  type StoredAnswer
} from "../../../../core/answers/answering/index.js"
import {
  type AnswerId,
  type DecisionId,
  serviceLayer,
  type WorkspaceScope
} from "../../../../core/platform/kernel/index.js"
import { fromJson } from "../../codec.js"
import { columnsOf, json, jsonObject, number, text } from "../../columns.js"
import { done, inBatches, insertRows, insertTogether, readCount, readFirst, readPage } from "../../rows.js"
import { containsText } from "../../text-filter.js"
import { answerCache } from "../answer-cache/answer-cache-store.js"

/** Columns of the table `answer`: the questions that were asked, with the answer that was given. */
const columns = columnsOf<StoredAnswer>({
  id: text(),
  question: text(),
  answer: json(),
  askedBy: text(),
  activity: text(),
  createdAt: text()
})

export const answerFromRow = columns.read

const listedColumns = columnsOf<ListedAnswer>({
  id: text(),
  question: text(),
  answer: json(),
  askedBy: text(),
  activity: text(),
  createdAt: text(),
  decisionId: text()
})

const feedbackColumns = columnsOf<AnswerFeedback & { readonly answerId: AnswerId }>({
  id: text(),
  answerId: text(),
  kind: text(),
  value: jsonObject(),
  sentiment: text(),
  note: text(),
  createdBy: text(),
  createdAt: text()
})

export const answerFeedbackFromRow = feedbackColumns.read
export const answerFeedbackToRow = feedbackColumns.write

const conversationColumns = columnsOf<Conversation>({
  id: text(),
  title: text(),
  firstQuestion: text(),
  questions: number(),
  createdAt: text(),
  updatedAt: text()
})

const titleColumns = columnsOf<ConversationTitle>({
  conversationId: text(),
  askedBy: text(),
  title: text(),
  updatedAt: text()
})

export const conversationTitleFromRow = titleColumns.read
export const conversationTitleToRow = titleColumns.write

/** Conversations of a person with their titles and first questions, as columns and what they come from. */
const conversationsOf = (
  sql: SqlClient.SqlClient,
  workspace: WorkspaceScope,
  askedBy: string,
  id?: string
) => ({
  select: sql`c.*, (select t.title from conversation_title t where t.workspace_id = ${workspace}
      and t.conversation_id = c.id and t.asked_by = ${askedBy}) as title,
    coalesce((select a.question from answer_conversation f
      join answer a on a.workspace_id = ${workspace} and a.id = f.answer_id
      where f.workspace_id = ${workspace} and f.conversation_id = c.id and f.asked_by = ${askedBy}
      order by f.created_at, f.answer_id limit 1), '') as first_question`,
  from: sql`(select conversation_id as id, min(created_at) as created_at, max(created_at) as updated_at,
      count(*) as questions
    from answer_conversation where ${sql.and([
      sql`workspace_id = ${workspace}`,
      sql`asked_by = ${askedBy}`,
      ...(id === undefined ? [] : [sql`conversation_id = ${id}`])
    ])} group by conversation_id) c`
})

/** Forgets answers with everything that belongs to them. */
const forgetAnswers = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    for (const table of ["answer_source", "answer_conversation", "answer_feedback", "answer"] as const) {
      const column = table === "answer" ? "id" : "answer_id"
      yield* inBatches(
        ids,
        (batch) =>
          sql`delete from ${sql(table)} where workspace_id = ${workspace} and ${sql.in(column, batch)}`
      )
    }
    yield* sql`delete from conversation_title where workspace_id = ${workspace} and not exists (
      select 1 from answer_conversation c where c.workspace_id = ${workspace}
        and c.conversation_id = conversation_title.conversation_id
        and c.asked_by = conversation_title.asked_by)`
    return ids.length
  })

export const sqlAnswerStore = serviceLayer(
  AnswerStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      cache: yield* answerCache,
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
          from answer_conversation c join answer a on a.workspace_id = ${workspace} and a.id = c.answer_id
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
      conversations: (workspace, askedBy, page) =>
        readPage(sql, page, {
          ...conversationsOf(sql, workspace, askedBy),
          order: sql`c.updated_at desc, c.id desc`,
          read: conversationColumns.read
        }),
      conversation: (workspace, { askedBy, conversationId }) => {
        const { from, select } = conversationsOf(sql, workspace, askedBy, conversationId)
        return sql`select ${select} from ${from}`.pipe(readFirst(conversationColumns.read))
      },
      setTitle: (workspace, title) =>
        done(sql`insert into conversation_title ${sql.insert({
          workspace_id: workspace,
          ...titleColumns.write(title)
        })} on conflict (workspace_id, conversation_id, asked_by)
          do update set title = excluded.title, updated_at = excluded.updated_at`),
      forget: (workspace, { askedBy, conversationId }) =>
        sql<{ answer_id: string }>`select answer_id from answer_conversation
          where workspace_id = ${workspace} and conversation_id = ${conversationId}
            and asked_by = ${askedBy}`.pipe(
          Effect.flatMap((rows) =>
            forgetAnswers(
              sql,
              workspace,
              rows.map(({ answer_id }) => answer_id)
            )
          ),
          Effect.orDie
        ),
      find: (workspace, id) =>
        sql`select * from answer where workspace_id = ${workspace} and id = ${id}`.pipe(
          readFirst(answerFromRow)
        ),
      list: (workspace, { askedBy, conversationId, feedback, q }, page) =>
        readPage(sql, page, {
          select: sql`a.*, (select min(d.id) from policy_decision d
            where d.workspace_id = ${workspace} and d.answer_id = a.id) as decision_id`,
          from: sql`answer a where ${sql.and([
            sql`a.workspace_id = ${workspace}`,
            ...(askedBy === undefined ? [] : [sql`a.asked_by = ${askedBy}`]),
            ...(q === undefined || q.trim() === "" ? [] : [containsText(sql, ["a.question"], q)]),
            ...(conversationId === undefined
              ? []
              : [
                  sql`exists (select 1 from answer_conversation c where c.workspace_id = ${workspace}
                    and c.conversation_id = ${conversationId} and c.answer_id = a.id)`
                ]),
            ...(feedback === undefined
              ? []
              : [
                  sql`exists (select 1 from answer_feedback f where f.workspace_id = ${workspace}
                    and f.answer_id = a.id
                    and ${feedback === "any" ? sql`1 = 1` : sql`f.sentiment = ${feedback}`})`
                ])
          ])}`,
          order: sql`a.created_at desc, a.id desc`,
          read: listedColumns.read,
          what: "answers"
        }),
      decisionOf: (workspace, answer) =>
        sql<{ id: DecisionId | null }>`select min(id) as id from policy_decision
          where workspace_id = ${workspace} and answer_id = ${answer}`.pipe(
          Effect.map(([row]) => row?.id ?? null),
          Effect.orDie
        ),
      addFeedback: (workspace, answerId, feedback) =>
        insertRows(sql, "answer_feedback", [
          { workspace_id: workspace, ...feedbackColumns.write({ ...feedback, answerId }) }
        ]),
      feedback: (workspace, answers) =>
        inBatches(
          answers,
          (batch) => sql<object>`select * from answer_feedback
            where workspace_id = ${workspace} and ${sql.in("answer_id", batch)} order by id`
        ).pipe(
          Effect.map((rows) => {
            const found = new Map<AnswerId, Array<AnswerFeedback>>()
            for (const row of rows) {
              const { answerId, ...one } = feedbackColumns.read(row)
              found.set(answerId, [...(found.get(answerId) ?? []), one])
            }
            return found
          }),
          Effect.orDie
        ),
      countCiting: (workspace, document) =>
        sql<{ n: unknown }>`select count(distinct answer_id) as n from answer_source
          where workspace_id = ${workspace} and document_id = ${document}`.pipe(readCount),
      prune: (workspace, before, limit) =>
        Effect.gen(function* () {
          const old = yield* sql<{ id: string }>`select id from answer
            where workspace_id = ${workspace} and created_at < ${before} order by created_at limit ${limit}`
          return yield* forgetAnswers(
            sql,
            workspace,
            old.map(({ id }) => id)
          )
        }).pipe(Effect.orDie)
    }
  })
)
