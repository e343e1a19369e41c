import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { type EvalId, serviceLayer, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import {
  type EvalFilter,
  EvalResult,
  EvalStore,
  EvalView,
  type RunTopic,
  type StoredEval,
  Topic
} from "../../../../core/work/evaluation/index.js"
import { objectIn, ofShape, toJson, toNumber } from "../../codec.js"
import { columnsOf, jsonObject, number, orNull, shaped } from "../../columns.js"
import { hasRows, insertRows, readAll, readFirst, readPage } from "../../rows.js"
import { judgments } from "./judgment-store.js"

/** Row of the table `eval_run`; `detail` is JSON. */
export interface EvalRow {
  readonly id: EvalId
  readonly suite: string
  readonly set_name: string
  readonly status: string
  readonly created_at: string
  readonly detail: string
  readonly done: unknown
}

const fromRow = ({ created_at, detail, done, id, set_name, status, suite }: EvalRow): EvalView =>
  ofShape(EvalView, `the evaluation run ${id}`, {
    ...objectIn<object>(detail),
    id,
    suite,
    set: set_name,
    status,
    createdAt: created_at,
    done: toNumber(done)
  })

/** The same as it is stored. */
export const runFromRow = (row: EvalRow): StoredEval => {
  const { done: _done, ...run } = fromRow(row)
  return run
}

const toRow = ({ createdAt, id, set, status, suite, ...detail }: StoredEval) => ({
  id,
  suite,
  set_name: set,
  status,
  created_at: createdAt,
  detail: toJson(detail)
})

const topicColumns = columnsOf<RunTopic>({
  place: number(),
  topic: shaped(Topic, "a topic of an evaluation run"),
  result: orNull(shaped(EvalResult, "a result of an evaluation run")),
  detail: orNull(jsonObject())
})

export const topicFromRow = topicColumns.read

/** Stores evaluation runs, their topics and judgments in SQL. */
export const sqlEvalStore = serviceLayer(
  EvalStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = (workspace: WorkspaceScope) => sql`r.*, (select count(*) from eval_topic t
      where t.workspace_id = ${workspace} and t.eval_id = r.id and t.result is not null) as done`
    const matching = (workspace: WorkspaceScope, { status, suite }: EvalFilter) =>
      sql.and([
        sql`r.workspace_id = ${workspace}`,
        ...(suite === undefined ? [] : [sql`r.suite = ${suite}`]),
        ...(status === undefined ? [] : [sql`r.status = ${status}`])
      ])
    const insertTopics = (workspace: WorkspaceScope, id: EvalId, topics: ReadonlyArray<RunTopic>) =>
      insertRows(
        sql,
        "eval_topic",
        topics.map((topic) => ({ workspace_id: workspace, eval_id: id, ...topicColumns.write(topic) }))
      )
    return {
      judgments: yield* judgments,
      add: (workspace, run, topics) =>
        Effect.zipRight(
          insertRows(sql, "eval_run", [{ workspace_id: workspace, ...toRow(run) }]),
          insertTopics(workspace, run.id, topics)
        ),
      addTopics: insertTopics,
      find: (workspace, id) =>
        sql<EvalRow>`select ${columns(workspace)} from eval_run r where r.workspace_id = ${workspace} and r.id = ${id}`.pipe(
          readFirst(fromRow)
        ),
      list: (workspace, filter, page) =>
        readPage(sql, page, {
          select: columns(workspace),
          from: sql`eval_run r where ${matching(workspace, filter)}`,
          order: sql`r.id desc`,
          read: fromRow,
          what: "evaluation runs"
        }),
      update: (workspace, run, from) =>
        sql`update eval_run set ${sql.update(toRow(run), ["id"])}
          where workspace_id = ${workspace} and id = ${run.id} and status = ${from} returning id`.pipe(
          hasRows
        ),
      topics: (workspace, id, from, limit) =>
        sql`select place, topic, result, detail from eval_topic
          where workspace_id = ${workspace} and eval_id = ${id} and place >= ${from}
          order by place limit ${limit}`.pipe(readAll(topicFromRow)),
      putResults: (workspace, id, results) =>
        Effect.forEach(
          results,
          ({ detail, place, result }) =>
            sql`update eval_topic set ${sql.update(topicColumns.write({ result, detail }))}
              where workspace_id = ${workspace} and eval_id = ${id} and place = ${place}`,
          { discard: true }
        ).pipe(Effect.orDie)
    }
  })
)
