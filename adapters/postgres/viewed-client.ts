import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import { PgClient } from "@effect/sql-pg"
import * as Effect from "effect/Effect"
import { withReaderView } from "../sql/reader-view.js"

/** Wraps a client of one connection, such as that of a snapshot, so that callers with a view read visible rows only. */
export const viewedClient = (inner: SqlClient.SqlClient): Effect.Effect<SqlClient.SqlClient> => {
  const connection = withReaderView(
    {
      execute: (text, values, transform) =>
        Effect.map(inner.unsafe<object>(text, values), (rows) =>
          transform === undefined ? rows : transform(rows)
        ),
      executeRaw: (text, values) => inner.unsafe(text, values).raw,
      executeValues: (text, values) => inner.unsafe(text, values).values,
      executeUnprepared: (text, values, transform) =>
        Effect.map(inner.unsafe<object>(text, values).unprepared, (rows) =>
          transform === undefined ? rows : transform(rows)
        ),
      executeStream: (text, values) => inner.unsafe(text, values).stream
    },
    "pg"
  )
  return SqlClient.make({
    acquirer: Effect.succeed(connection),
    compiler: PgClient.makeCompiler(),
    spanAttributes: [["db.system.name", "postgresql"]]
  }).pipe(Effect.provide(Reactivity.layer))
}
