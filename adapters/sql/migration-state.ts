import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { DataTooNew, DataUnreadable } from "../../core/platform/kernel/index.js"
import { packageVersion } from "../host/package-version.js"
import { toNumber } from "./codec.js"
import { distributionMark, migrationsTable, programTable } from "./migration-tables.js"
import { migrations } from "./migrations/index.js"

/** A migration by number and name. */
export interface MigrationName {
  readonly id: number
  readonly name: string
}

/** All migrations of this program in order. */
export const knownMigrations: ReadonlyArray<MigrationName> = Object.keys(migrations)
  .map((name) => ({ id: Number.parseInt(name, 10), name: name.slice(name.indexOf("_") + 1) }))
  .sort((a, b) => a.id - b.id)

/** The number of the newest migration. */
export const newestMigration: number = knownMigrations.at(-1)?.id ?? 0

/**
 * Repairs beside migrations, with the affected tables: text collation, row-level security policies, and the tables of
 * pgvector.
 */
export interface SchemaRepair {
  readonly code: "text_order" | "row_security" | "vectors"
  readonly tables: ReadonlyArray<string>
}

/** Result of a migration, or its preview. */
export interface MigrationReport {
  /** Number of the last migration before; 0 in an empty database. */
  readonly schema: number
  /** Number of the newest migration of this program. */
  readonly newest: number
  /** The applied migrations in order, or the pending ones with `dryRun`. */
  readonly migrations: ReadonlyArray<MigrationName>
  /** Repairs of existing tables; none on SQLite. */
  readonly repairs: ReadonlyArray<SchemaRepair>
  readonly dryRun: boolean
}

/**
 * Returns the pending migrations. Dies with `DataTooNew` if the database has newer ones, and with `DataUnreadable` if
 * it belongs to another program or its migrations differ from those of this program.
 *
 * @param tables The names of the existing tables; none in an empty database.
 */
export const pendingMigrations = (
  sql: SqlClient.SqlClient,
  tables: ReadonlySet<string>
): Effect.Effect<{ readonly schema: number; readonly pending: ReadonlyArray<MigrationName> }, SqlError> =>
  Effect.gen(function* () {
    if (tables.size === 0) return { schema: 0, pending: knownMigrations }
    if (!tables.has(migrationsTable))
      return yield* Effect.die(
        new DataUnreadable({ message: "The database belongs to another program, not to Kanon." })
      )
    const rows = yield* sql<{ id: unknown; name: string }>`select migration_id as id, name
      from ${sql(migrationsTable)} where migration_id <> ${distributionMark} order by migration_id`
    const applied = new Map(rows.map(({ id, name }) => [toNumber(id), name]))
    const schema = Math.max(0, ...applied.keys())
    if (schema > newestMigration) return yield* refuseNewer(sql, tables, schema)
    for (const { id, name } of knownMigrations)
      if (applied.has(id) && applied.get(id) !== name)
        return yield* refuse({ id, name }, `is "${applied.get(id)}" in the database`)
    const pending = knownMigrations.filter(({ id }) => !applied.has(id))
    const missing = pending.find(({ id }) => id < schema)
    if (missing !== undefined)
      return yield* refuse(missing, "was left out when newer ones were applied to the database")
    return { schema, pending }
  })

/** Records the program version that migrated the schema. */
export const recordProgram = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError> =>
  Effect.asVoid(
    // Concurrent processes all record the same.
    sql`insert into ${sql(programTable)} (migration_id, program) values (${newestMigration}, ${packageVersion})
      on conflict do nothing`
  )

const refuseNewer = (sql: SqlClient.SqlClient, tables: ReadonlySet<string>, schema: number) =>
  Effect.gen(function* () {
    const [made] = tables.has(programTable)
      ? yield* sql<{
          program: string
        }>`select program from ${sql(programTable)} order by migration_id desc limit 1`
      : []
    return yield* Effect.die(
      new DataTooNew({
        schema,
        newestKnown: newestMigration,
        madeBy: made?.program ?? null,
        program: packageVersion
      })
    )
  })

const refuse = ({ id, name }: MigrationName, why: string): Effect.Effect<never> =>
  Effect.die(
    new DataUnreadable({
      message:
        `The migration ${String(id).padStart(4, "0")} (${name}) ${why} (Kanon ${packageVersion}). ` +
        "Nothing was changed; use the program that made the database."
    })
  )
