import * as Reactivity from "@effect/experimental/Reactivity"
import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { migrations } from "../sql/migrations/index.js"

/**
 * The database in one file (or `:memory:`), migrated. Durable by default: WAL with `synchronous=FULL`, so an
 * acknowledged commit survives a power cut; other processes wait up to ten seconds for the writer.
 */
export const sqliteClient = (options: {
  readonly filename: string
  readonly readonly?: boolean
}): Layer.Layer<SqlClient.SqlClient, SqlError | ConfigError | Migrator.MigrationError> => {
  const client = Layer.provide(
    SqliteClient.layer({ filename: options.filename, readonly: options.readonly ?? false }),
    Reactivity.layer
  )
  if (options.readonly === true) return client
  return Layer.provideMerge(Layer.effectDiscard(Effect.zipRight(pragmas, migrated)), client)
}

const pragmas = Effect.gen(function* () {
  const sql = yield* SqliteClient.SqliteClient
  yield* sql`pragma busy_timeout = 10000`
  yield* sql`pragma synchronous = full`
  yield* sql`pragma foreign_keys = on`
})

const migrate = Migrator.make({})({ loader: Migrator.fromRecord(migrations) })
const newestMigration = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))
const lookAgainMs = 25
const looksMax = 400

/**
 * Of several processes that open a new database at once one migrates it; to the others the migrator says nothing
 * and leaves them with what there is. So they look until it is done.
 */
const migrated = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (let look = 1; look <= looksMax; look++) {
    yield* migrate
    const [row] = yield* sql<{ id: number | null }>`select max(migration_id) as id from effect_sql_migrations`
    if ((row?.id ?? 0) >= newestMigration) return
    yield* Effect.sleep(lookAgainMs)
  }
  return yield* Effect.dieMessage("Another process is changing the database and does not come to an end.")
})
