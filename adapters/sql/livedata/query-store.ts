import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { serviceLayer } from "../../../core/kernel/index.js"
import { DataQuery, DataQueryStore, type QueryRevision } from "../../../core/livedata/index.js"
import { fromJson, ofShape, readableOf, toJson } from "../codec.js"
import { readFirst } from "../rows.js"

export interface QueryRow {
  readonly id: string
  readonly definition: string
}

export const queryFromRow = ({ definition, id }: QueryRow): DataQuery =>
  ofShape(DataQuery, `the named query ${id}`, fromJson(definition))

export interface QueryRevisionRow extends QueryRow {
  readonly activity: string
  readonly changed_by: string
}

export const sqlDataQueryStore = serviceLayer(
  DataQueryStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      list: (workspace) =>
        sql<QueryRow>`select id, definition from data_query where workspace_id = ${workspace} order by slug`.pipe(
          Effect.flatMap((rows) => readableOf(rows, "named queries", queryFromRow)),
          Effect.orDie
        ),
      find: (workspace, slugOrId) =>
        sql<QueryRow>`select id, definition from data_query
          where workspace_id = ${workspace} and (id = ${slugOrId} or slug = ${slugOrId})`.pipe(
          readFirst(queryFromRow)
        ),
      put: (workspace, { activity, changedBy, query }) =>
        Effect.gen(function* () {
          const { id, revision, slug } = query
          const definition = toJson(query)
          const written =
            revision === 1
              ? yield* sql`insert into data_query
                  ${sql.insert({ workspace_id: workspace, id, slug, revision, definition })}
                  on conflict do nothing returning id`
              : yield* sql`update data_query set revision = ${revision}, definition = ${definition}
                  where workspace_id = ${workspace} and id = ${id} and revision = ${revision - 1} returning id`
          if (written.length === 0) return false
          yield* sql`insert into data_query_revision ${sql.insert({
            workspace_id: workspace,
            query_id: id,
            revision,
            definition,
            activity,
            changed_by: changedBy,
            created_at: query.updatedAt
          })}`
          return true
        }).pipe(Effect.orDie),
      revisions: (workspace, id) =>
        sql<QueryRevisionRow>`select query_id as id, definition, activity, changed_by from data_query_revision
          where workspace_id = ${workspace} and query_id = ${id} order by revision desc`.pipe(
          Effect.map((rows) =>
            rows.map(
              (row): QueryRevision => ({
                query: queryFromRow(row),
                activity: row.activity,
                changedBy: row.changed_by
              })
            )
          ),
          Effect.orDie
        )
    }
  })
)
