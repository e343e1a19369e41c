import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { DataTooNew, DataUnreadable } from "../../core/kernel/index.js"
import { packageVersion } from "../host/package-version.js"
import { toNumber } from "./codec.js"
import { migrations } from "./migrations/index.js"

/** The table in which the migrator records what it applied. */
export const migrationsTable = "effect_sql_migrations"

/** The table that records which version of the program applied which migration last. */
export const programTable = "schema_made_by"

/** A migration by its number and name. */
export interface MigrationName {
  readonly id: number
  readonly name: string
}

/** Every migration of this program, in the order of their numbers. */
export const knownMigrations: ReadonlyArray<MigrationName> = Object.keys(migrations)
  .map((name) => ({ id: Number.parseInt(name, 10), name: name.slice(name.indexOf("_") + 1) }))
  .sort((a, b) => a.id - b.id)

/** The number of the newest of them. */
export const newestMigration: number = knownMigrations.at(-1)?.id ?? 0

/**
 * What is looked after beside the migrations, and the tables that it is done to: their text is ordered by its bytes, a
 * policy of row-level security is put back, the tables of pgvector are made.
 */
export interface SchemaRepair {
  readonly code: "text_order" | "row_security" | "vectors"
  readonly tables: ReadonlyArray<string>
}

/** What a run of the migrations did, or would do. */
export interface MigrationReport {
  /** The number of the last migration that was applied before; 0 in an empty database. */
  readonly schema: number
  /** The newest that this program knows. */
  readonly newest: number
  /** In the order of their numbers: those that were applied, or with `dryRun` those that would be. */
  readonly migrations: ReadonlyArray<MigrationName>
  /** What else had to be done to tables that were there already; nothing on SQLite. */
  readonly repairs: ReadonlyArray<SchemaRepair>
  readonly dryRun: boolean
}

/**
 * Migrations of this program that the database has not seen. Dies with `DataTooNew` if the database has seen newer
 * ones, and with `DataUnreadable` if it is of another program or its migrations are not those of this program.
 *
 * @param tables The names of the tables that there are; none in an empty database.
 */
export const pendingMigrations = (
  sql: SqlClient.SqlClient,
  tables: ReadonlySet<string>
): Effect.Effect<{ readonly schema: number; readonly pending: ReadonlyArray<MigrationName> }, SqlError> =>
  Effect.gen(function* () {
    if (tables.size === 0) return { schema: 0, pending: knownMigrations }
    if (!tables.has(migrationsTable))
      return yield* Effect.die(
        new DataUnreadable({ message: "The database is of another program, not of Kanon." })
      )
    const rows = yield* sql<{ id: unknown; name: string }>`select migration_id as id, name
      from ${sql(migrationsTable)} order by migration_id`
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

/** Records that this version of the program brought the schema to where it is. */
export const recordProgram = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError> =>
  Effect.asVoid(
    // Processes that open a new database at once all record the same.
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
