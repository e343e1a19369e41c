import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { crashPoint, DataTooNew, DataUnreadable } from "../../core/kernel/index.js"
import { packageVersion } from "../host/package-version.js"
import { migrations } from "../sql/migrations/index.js"

const migrate = Migrator.make({})({ loader: Migrator.fromRecord(migrations) })
const migrationsTable = "effect_sql_migrations"
const newest = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))
/** Names the lock under which one process at a time changes the schema: "kanon" in ASCII. */
const lockKey = 0x6b616e6f6e

/**
 * Brings the schema to what this program knows, in one transaction under a lock of the database: of processes that
 * start at once one migrates and the others wait and find it done. A schema that is newer is refused untouched, and
 * so is a database of another program.
 */
export const prepareSchema = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if ((yield* schemaNow(sql)) === newest) return
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`select pg_advisory_xact_lock(${lockKey})`
      const found = yield* schemaNow(sql)
      if (found === newest) return
      // The migrator looks for its table by an error, which would end this transaction.
      yield* sql`create table if not exists ${sql(migrationsTable)} (
        migration_id integer primary key, created_at timestamptz not null default now(), name text not null)`
      yield* migrate
      yield* isJson(sql)
      yield* crashPoint("open.afterMigrations")
      yield* sql`insert into schema_made_by (migration_id, program) values (${newest}, ${packageVersion})
        on conflict do nothing`
    })
  )
})

/** Whether a text is JSON: Postgres can say so by itself from 16 on only. */
const isJson = (sql: SqlClient.SqlClient) =>
  sql`create or replace function kanon_is_json(told text) returns boolean language plpgsql immutable
    as 'begin perform told::json; return true; exception when others then return false; end'`

/** The number of the last migration, 0 in an empty database; dies where this program has nothing to do. */
const schemaNow = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const tables = yield* sql<{ name: string }>`select table_name as name from information_schema.tables
      where table_schema = current_schema() and table_type = 'BASE TABLE'`
    if (tables.length === 0) return 0
    if (!tables.some(({ name }) => name === migrationsTable))
      return yield* Effect.die(
        new DataUnreadable({ message: "The database is of another program, not of Kanon." })
      )
    const [last] = yield* sql<{
      id: number | null
    }>`select max(migration_id) as id from ${sql(migrationsTable)}`
    const schema = last?.id ?? 0
    if (schema <= newest) return schema
    const [made] = tables.some(({ name }) => name === "schema_made_by")
      ? yield* sql<{ program: string }>`select program from schema_made_by order by migration_id desc limit 1`
      : []
    return yield* Effect.die(
      new DataTooNew({
        schema,
        newestKnown: newest,
        madeBy: made?.program ?? null,
        program: packageVersion
      })
    )
  })
