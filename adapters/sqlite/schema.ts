import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { crashPoint, DataTooNew, DataUnreadable } from "../../core/platform/kernel/index.js"
import { packageVersion } from "../host/package-version.js"
import { newestMigration, pendingMigrations, recordProgram } from "../sql/migration-state.js"
import { migrationsTable, programTable } from "../sql/migration-tables.js"
import { migrations } from "../sql/migrations/index.js"
import type { SqliteConnection } from "./connection.js"
import type { Writer } from "./writer.js"

const migrate = Migrator.make({})({ loader: Migrator.fromRecord(migrations) })
const lookAgainMs = 25
const looksMax = 400

/**
 * Dies if the file is no database, a database of another program, or one of a newer Kanon version. Reads only the
 * lists of tables and of migrations. A new file passes.
 */
export const refuseForeign = (
  connection: SqliteConnection,
  { patiently }: Pick<Writer, "patiently">
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const rows = (sql: string) => Effect.orDie(patiently(connection.execute(sql, [], undefined)))
    const tables = new Set(
      (yield* rows("select name from sqlite_master where type = 'table'")).map(({ name }) => String(name))
    )
    if (tables.size === 0) return
    if (!tables.has(migrationsTable)) {
      return yield* Effect.die(
        new DataUnreadable({ message: "The database belongs to another program, not to Kanon." })
      )
    }
    const [found] = yield* rows(`select max(migration_id) as id from ${migrationsTable}`)
    const schema = Number(found?.id ?? 0)
    if (schema <= newestMigration) return
    const [made] = tables.has(programTable)
      ? yield* rows(`select program from ${programTable} order by migration_id desc limit 1`)
      : []
    yield* Effect.die(
      new DataTooNew({
        schema,
        newestKnown: newestMigration,
        madeBy: made === undefined ? null : String(made.program),
        program: packageVersion
      })
    )
  })

/**
 * Migrates the schema. If several processes open a new database, one migrates it, and the others poll until it is
 * done, because the migrator does not wait for them. Dies with `DataUnreadable` if an applied migration has another
 * name in this program.
 */
export const prepareSchema = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (let look = 1; look <= looksMax; look++) {
    if ((yield* pendingSchema).pending.length === 0) return
    yield* migrate
    if ((yield* pendingSchema).pending.length === 0) {
      yield* crashPoint("open.afterMigrations")
      yield* recordProgram(sql)
      return
    }
    yield* Effect.sleep(lookAgainMs)
  }
  return yield* Effect.dieMessage("Another process is migrating the database and does not finish.")
})

/** Returns the pending migrations. */
export const pendingSchema = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string }>`select name from sqlite_master where type = 'table'`
  return yield* pendingMigrations(sql, new Set(tables.map(({ name }) => name)))
})
