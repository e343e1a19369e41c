import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { UnresolvedNames } from "../../../core/graph/index.js"
import { serviceLayer } from "../../../core/kernel/index.js"
import { inBatches, insertRows } from "../rows.js"

export const sqlUnresolvedNames = serviceLayer(
  UnresolvedNames,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    add: (workspace, keys) =>
      Effect.gen(function* () {
        const wanted = [...new Set(keys)]
        const known = yield* inBatches(
          wanted,
          (batch) => sql<{ key: string }>`select key from graph_undecided
            where workspace_id = ${workspace} and ${sql.in("key", batch)}`
        )
        const have = new Set(known.map(({ key }) => key))
        yield* insertRows(
          sql,
          "graph_undecided",
          wanted.filter((key) => !have.has(key)).map((key) => ({ workspace_id: workspace, key }))
        )
      }).pipe(Effect.orDie),
    list: (workspace, limit) =>
      sql<{
        key: string
      }>`select key from graph_undecided where workspace_id = ${workspace} order by key limit ${limit}`.pipe(
        Effect.map((rows) => rows.map(({ key }) => key)),
        Effect.orDie
      ),
    remove: (workspace, keys) =>
      inBatches(
        keys,
        (batch) =>
          sql`delete from graph_undecided where workspace_id = ${workspace} and ${sql.in("key", batch)}`
      ).pipe(Effect.asVoid, Effect.orDie)
  }))
)
