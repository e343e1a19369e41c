import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import {
  DataQuery,
  type DataQueryStore,
  type QueryRevision
} from "../../../../core/connected/livedata/index.js"
import type { WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { fromJson, ofShape, toJson } from "../../codec.js"
import { columnsOf, text } from "../../columns.js"
import { insertRows, readAll, readFirst, readReadable } from "../../rows.js"

/** Parses the stored definition of a named query. */
const queryFromRow = ({ definition, id }: { readonly id: string; readonly definition: string }): DataQuery =>
  ofShape(DataQuery, `the named query ${id}`, fromJson(definition))

const revisionColumns = columnsOf<Omit<QueryRevision, "query"> & { queryId: string; definition: string }>({
  queryId: text(),
  definition: text(),
  activity: text(),
  changedBy: text()
})

export const revisionFromRow = (row: object): QueryRevision => {
  const { definition, queryId: id, ...rest } = revisionColumns.read(row)
  return { query: queryFromRow({ id, definition }), ...rest }
}

export const insertRevision = (
  sql: SqlClient.SqlClient,
  workspace: WorkspaceScope,
  { query, ...rest }: QueryRevision
): Effect.Effect<void> =>
  insertRows(sql, "data_query_revision", [
    {
      workspace_id: workspace,
      ...revisionColumns.write({ queryId: query.id, definition: toJson(query), ...rest }),
      revision: query.revision,
      created_at: query.updatedAt
    }
  ])

export const dataQueries: Effect.Effect<DataQueryStore, never, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      list: (workspace) =>
        sql<
          Parameters<typeof queryFromRow>[0]
        >`select id, definition from data_query where workspace_id = ${workspace} order by slug`.pipe(
          readReadable("named queries", queryFromRow)
        ),
      find: (workspace, slugOrId) =>
        sql<Parameters<typeof queryFromRow>[0]>`select id, definition from data_query
          where workspace_id = ${workspace} and (id = ${slugOrId} or slug = ${slugOrId})`.pipe(
          readFirst(queryFromRow)
        ),
      put: (workspace, change) =>
        Effect.gen(function* () {
          const { id, revision, slug } = change.query
          const definition = toJson(change.query)
          const insertedRows =
            revision === 1
              ? yield* sql`insert into data_query
                  ${sql.insert({ workspace_id: workspace, id, slug, revision, definition })}
                  on conflict do nothing returning id`
              : yield* sql`update data_query set revision = ${revision}, definition = ${definition}
                  where workspace_id = ${workspace} and id = ${id} and revision = ${revision - 1} returning id`
          if (insertedRows.length === 0) return false
          yield* insertRevision(sql, workspace, change)
          return true
        }).pipe(Effect.orDie),
      revisions: (workspace, id) =>
        sql`select * from data_query_revision where workspace_id = ${workspace} and query_id = ${id}
          order by revision desc`.pipe(readAll(revisionFromRow))
    }
  }
)
