import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Compiler } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import { DataTooNew, DataUnreadable } from "../../core/kernel/index.js"
import { packageVersion } from "../host/package-version.js"
import { toNumber } from "./codec.js"
import { knownMigrations, migrationChecksum, newestMigration } from "./migration-checksums.js"
import { migrationChecksums } from "./migrations/checksums.js"

/** The table in which the migrator notes what was applied. */
export const migrationsTable = "effect_sql_migrations"

/** A migration by its number and name. */
export interface MigrationName {
  readonly id: number
  readonly name: string
}

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
 * Migrations that this program knows and the database has not seen. Dies with `DataTooNew` where the database has
 * seen newer ones, and with `DataUnreadable` where one that was applied is another one in this program.
 *
 * @param tables The names of the tables that there are; none in an empty database.
 */
export const pendingMigrations = (
  sql: SqlClient.SqlClient,
  tables: ReadonlySet<string>,
  compiler: Compiler
): Effect.Effect<{ readonly schema: number; readonly pending: ReadonlyArray<MigrationName> }, SqlError> =>
  Effect.gen(function* () {
    if (tables.size === 0) return { schema: 0, pending: knownMigrations }
    if (!tables.has(migrationsTable))
      return yield* Effect.die(
        new DataUnreadable({ message: "The database is of another program, not of Kanon." })
      )
    const applied = yield* appliedMigrations(sql, tables)
    const schema = applied.at(-1)?.id ?? 0
    if (schema > newestMigration) return yield* refuseNewer(sql, tables, schema)
    yield* refuseChanged(applied, compiler)
    const seen = new Set(applied.map(({ id }) => id))
    const pending = knownMigrations.filter(({ id }) => !seen.has(id))
    const left = pending.find(({ id }) => id < schema)
    if (left !== undefined)
      return yield* refuse(left, "was left out when newer ones were applied to the database")
    return { schema, pending: pending.map(({ id, name }) => ({ id, name })) }
  })

/** Notes what the applied migrations say, where that is not known yet: those from before checksums are taken as they are. */
export const noteMigrations = (sql: SqlClient.SqlClient, compiler: Compiler): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const applied = yield* appliedMigrations(sql, new Set([migrationsTable, checksumTable]))
    const unknown = applied.filter(({ checksum }) => checksum === null)
    const rows = yield* Effect.forEach(unknown, ({ id }) =>
      Effect.map(checksumOf(id, compiler), (checksum) =>
        checksum === null ? [] : [{ migration_id: id, checksum }]
      )
    )
    // Of processes that open a new database at once each notes the same.
    if (rows.flat().length > 0)
      yield* sql`insert into ${sql(checksumTable)} ${sql.insert(rows.flat())} on conflict do nothing`
    yield* sql`insert into schema_made_by (migration_id, program) values (${newestMigration}, ${packageVersion})
      on conflict do nothing`
  })

const checksumTable = "migration_checksum"

interface Applied extends MigrationName {
  readonly checksum: string | null
}

const appliedMigrations = (
  sql: SqlClient.SqlClient,
  tables: ReadonlySet<string>
): Effect.Effect<ReadonlyArray<Applied>, SqlError> => {
  const checksum = tables.has(checksumTable)
    ? sql`(select checksum from ${sql(checksumTable)} c where c.migration_id = m.migration_id)`
    : sql`null`
  return Effect.map(
    sql<{ id: unknown; name: string; checksum: string | null }>`select m.migration_id as id, m.name,
      ${checksum} as checksum from ${sql(migrationsTable)} m order by m.migration_id`,
    (rows) => rows.map((row) => ({ ...row, id: toNumber(row.id) }))
  )
}

const refuseNewer = (sql: SqlClient.SqlClient, tables: ReadonlySet<string>, schema: number) =>
  Effect.gen(function* () {
    const [made] = tables.has("schema_made_by")
      ? yield* sql<{ program: string }>`select program from schema_made_by order by migration_id desc limit 1`
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

const refuseChanged = (applied: ReadonlyArray<Applied>, compiler: Compiler) =>
  Effect.forEach(
    applied,
    ({ checksum, id, name }) =>
      Effect.gen(function* () {
        const here = checksum === null ? null : yield* checksumOf(id, compiler)
        if (here !== checksum)
          yield* refuse({ id, name }, "was applied to the database as another one than this program holds")
      }),
    { discard: true }
  )

/** What a migration of this program says; null where it has none of that number. */
const checksumOf = (id: number, compiler: Compiler): Effect.Effect<string | null> => {
  const migration = knownMigrations.find((known) => known.id === id)
  if (migration === undefined) return Effect.succeed(null)
  const written = migrationChecksums[compiler.dialect === "pg" ? "pg" : "sqlite"][id]
  return written === undefined ? migrationChecksum(migration, compiler) : Effect.succeed(written)
}

const refuse = ({ id, name }: MigrationName, why: string): Effect.Effect<never> =>
  Effect.die(
    new DataUnreadable({
      message:
        `The migration ${String(id).padStart(4, "0")} (${name}) ${why} (Kanon ${packageVersion}). ` +
        "Nothing was changed; use the program that made the database."
    })
  )
