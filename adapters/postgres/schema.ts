import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import { PgClient } from "@effect/sql-pg"
import * as Effect from "effect/Effect"
import { crashPoint, DataUnreadable } from "../../core/kernel/index.js"
import { newestMigration } from "../sql/migration-checksums.js"
import {
  type MigrationReport,
  migrationsTable,
  noteMigrations,
  pendingMigrations
} from "../sql/migration-state.js"
import { migrations } from "../sql/migrations/index.js"
import { nearestCollision, prepareNearest } from "./nearest-schema.js"
import { buildWalls, grantServers } from "./tenant-walls.js"
import { orderText, unorderedTables } from "./text-order.js"

const migrate = Migrator.make({})({ loader: Migrator.fromRecord(migrations) })
/** Names the lock under which one process at a time changes the schema: "kanon" in ASCII. */
const lockKey = 0x6b616e6f6e

/**
 * Brings the schema to what this program knows, in one transaction under a lock of the database: of processes that
 * start at once one migrates and the others wait and find it done. A schema that is newer is refused untouched, and
 * so is a database of another program, or one whose migrations are not those of this program.
 */
export const prepareSchema = Effect.gen(function* () {
  const { pending } = yield* pendingSchema
  const unordered = yield* unorderedTables(yield* SqlClient.SqlClient)
  if (pending.length + unordered.length > 0) yield* migrateSchema({ dryRun: false })
})

export interface MigrateSchemaOptions {
  /** Changes nothing. */
  readonly dryRun: boolean
  /** A role that is to work as a server: it is granted what one needs. */
  readonly serverRole?: string | undefined
}

/** The same, told. The order of text, the walls between workspaces and the rights of servers are looked after each time. */
export const migrateSchema = ({ dryRun, serverRole }: MigrateSchemaOptions) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const report = ({ pending, schema }: Effect.Effect.Success<typeof pendingSchema>): MigrationReport => ({
      schema,
      newest: newestMigration,
      migrations: pending,
      dryRun
    })
    if (dryRun) return report(yield* pendingSchema)
    return yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`select pg_advisory_xact_lock(${lockKey})`
        const found = yield* pendingSchema
        yield* refuseServers(sql, found.schema)
        const collision = found.schema === 0 ? yield* nearestCollision(sql) : null
        if (collision !== null) yield* Effect.die(new DataUnreadable({ message: collision }))
        if (found.pending.length > 0) {
          // The migrator looks for its table by an error, which would end this transaction.
          yield* sql`create table if not exists ${sql(migrationsTable)} (
            migration_id integer primary key, created_at timestamptz not null default now(), name text not null)`
          yield* migrate
          yield* isJson(sql)
          yield* crashPoint("open.afterMigrations")
        }
        yield* noteMigrations(sql, PgClient.makeCompiler())
        yield* orderText(sql)
        yield* prepareNearest(sql)
        yield* buildWalls(sql)
        yield* grantServers(sql, serverRole)
        return report(found)
      })
    )
  })

const pendingSchema = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string }>`select tablename as name from pg_tables
    where schemaname = current_schema()`
  return yield* pendingMigrations(sql, new Set(tables.map(({ name }) => name)), PgClient.makeCompiler())
})

/** Only who owns the tables changes them. */
const refuseServers = (sql: SqlClient.SqlClient, schema: number) =>
  Effect.gen(function* () {
    if (schema === 0) return
    const [found] = yield* sql<{
      owns: boolean
    }>`select pg_has_role(tableowner, 'USAGE') as owns from pg_tables
      where schemaname = current_schema() and tablename = ${migrationsTable}`
    if (found?.owns !== true)
      yield* Effect.die(
        new DataUnreadable({
          message:
            "The database has to be migrated, which its owner alone may do: run 'kanon migrate' with the owner's URL. Nothing was changed."
        })
      )
  })

/** Whether a text is JSON: Postgres can say so by itself from 16 on only. */
const isJson = (sql: SqlClient.SqlClient) =>
  sql`create or replace function kanon_is_json(told text) returns boolean language plpgsql immutable
    as 'begin perform told::json; return true; exception when others then return false; end'`
