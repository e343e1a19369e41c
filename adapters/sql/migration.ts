import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { dialect } from "./dialect.js"

/** SQL client and fragments of the dialect for migrations. */
type Words = ReturnType<typeof dialect> & { readonly sql: SqlClient.SqlClient }

/** Makes a migration of the statements, which run in order. */
export const migration = (
  statements: (words: Words) => ReadonlyArray<Effect.Effect<unknown, SqlError, SqlClient.SqlClient>>
): Effect.Effect<void, SqlError, SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.all(statements({ ...dialect(sql), sql }), { discard: true })
  )
