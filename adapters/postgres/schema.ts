import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { crashPoint, DataReadOnly, DataUnreadable } from "../../core/platform/kernel/index.js"
import {
  type MigrationReport,
  newestMigration,
  pendingMigrations,
  recordProgram,
  type SchemaRepair
} from "../sql/migration-state.js"
import { migrationsTable } from "../sql/migration-tables.js"
import { migrations } from "../sql/migrations/index.js"
import { isReadOnly } from "./connection-loss.js"
import { isAtWorker, migratingDistributed } from "./distribution.js"
import { nearestCollision, nearestState, nearestTables, prepareNearest } from "./nearest-schema.js"
import { createPolicies, grantServers, tenantTables } from "./row-level-security.js"

const migrate = Migrator.make({})({ loader: Migrator.fromRecord(migrations) })
/** Advisory lock for schema changes: "kanon" in ASCII. */
const lockKey = 0x6b616e6f6e

/**
 * Migrates the schema in one transaction under an advisory lock: of several starting processes one migrates, and the
 * others wait. Refuses a newer schema, a database of another program, or one with other migrations, without changes.
 */
export const prepareSchema = Effect.gen(function* () {
  const { pending } = yield* pendingSchema
  const unordered = yield* unorderedTables(yield* SqlClient.SqlClient)
  if (pending.length + unordered.length > 0) yield* migrateSchema({ dryRun: false })
})

export interface MigrateSchemaOptions {
  /** Changes nothing. */
  readonly dryRun: boolean
  /** A role that servers connect as; it is granted their rights. */
  readonly serverRole?: string | undefined
}

/**
 * Migrates the schema and returns a report. Text collation, row-level security and server rights are checked each
 * time.
 */
export const migrateSchema = ({ dryRun, serverRole }: MigrateSchemaOptions) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const report = Effect.map(
      Effect.bind(pendingSchema, "repairs", ({ schema }) => repairsFor(sql, schema)),
      ({ pending, repairs, schema }): MigrationReport => ({
        schema,
        newest: newestMigration,
        migrations: pending,
        repairs,
        dryRun
      })
    )
    if (dryRun) return yield* report
    return yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`select pg_advisory_xact_lock(${lockKey})`
        const found = yield* report
        const atWorker = yield* isAtWorker(sql)
        if (atWorker || !(yield* mayChange(sql, found.schema))) {
          const isDone = found.migrations.length + found.repairs.length === 0 && serverRole === undefined
          const message = atWorker ? coordinatorOnly : found.schema === 0 ? mayMakeNothing : ownerOnly
          return isDone ? found : yield* Effect.die(new DataUnreadable({ message }))
        }
        const collision = found.schema === 0 ? yield* nearestCollision(sql) : null
        if (collision !== null) yield* Effect.die(new DataUnreadable({ message: collision }))
        if (found.migrations.length > 0) {
          // The migrator detects its missing table by an error, which would abort this transaction.
          yield* sql`create table if not exists ${sql(migrationsTable)} (
            migration_id integer primary key, created_at timestamptz not null default now(), name text not null)`
          yield* migratingDistributed(sql, migrate)
          yield* isJson(sql)
          yield* crashPoint("open.afterMigrations")
        }
        yield* recordProgram(sql)
        yield* orderText(sql)
        yield* prepareNearest(sql)
        yield* createPolicies(sql)
        yield* grantServers(sql, serverRole)
        return found
      })
    )
  }).pipe(Effect.catchIf(isReadOnly, () => Effect.die(new DataReadOnly())))

const pendingSchema = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string; readable: boolean }>`select c.relname as name,
      has_table_privilege(c.oid, 'SELECT') as readable
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relkind in ('r', 'p')`
  if (tables.some(({ name, readable }) => name === migrationsTable && !readable))
    return yield* Effect.die(new DataUnreadable({ message: noRights }))
  return yield* pendingMigrations(sql, new Set(tables.map(({ name }) => name)))
})

/** Returns the repairs that existing tables need; none for a database about to be created. */
const repairsFor = (sql: SqlClient.SqlClient, schema: number) =>
  Effect.gen(function* () {
    if (schema === 0) return []
    const unordered = yield* unorderedTables(sql)
    const unwalled = (yield* tenantTables(sql)).filter(({ hasPolicy }) => !hasPolicy)
    const named = (tables: ReadonlyArray<{ readonly name: string }>) => tables.map(({ name }) => name)
    const repairs: ReadonlyArray<SchemaRepair> = [
      { code: "text_order", tables: named(unordered) },
      { code: "row_security", tables: named(unwalled) },
      { code: "vectors", tables: (yield* nearestState(sql)) === "unprepared" ? nearestTables : [] }
    ]
    return repairs.filter(({ tables }) => tables.length > 0)
  })

/** Returns whether this role may migrate: the owner of the tables, or one that may create them. */
const mayChange = (sql: SqlClient.SqlClient, schema: number) =>
  Effect.map(
    schema === 0
      ? sql<{ may: boolean }>`select has_schema_privilege(current_schema(), 'CREATE') as may`
      : sql<{ may: boolean }>`select pg_has_role(tableowner, 'USAGE') as may from pg_tables
          where schemaname = current_schema() and tablename = ${migrationsTable}`,
    ([found]) => found?.may === true
  )

const ownerOnly =
  "The database has to be migrated, which its owner alone may do: run 'kanon migrate' with the owner's URL. Nothing was changed."
const coordinatorOnly =
  "The database is distributed, and the URL is that of a worker: run 'kanon migrate' with the owner's URL of the coordinator. Nothing was changed."
const mayMakeNothing =
  "The database is empty, and the role of this URL may make no tables in it: run 'kanon migrate' with the URL of the role that is to own them."
const noRights =
  "The role of this URL has no rights on the tables: run 'kanon migrate --server-role ROLE' with the owner's URL, which grants it those of a server."

/** Creates a function that tests for valid JSON, which Postgres has built in only from version 16. */
const isJson = (sql: SqlClient.SqlClient) =>
  sql`create or replace function kanon_is_json(told text) returns boolean language plpgsql immutable
    as 'begin perform told::json; return true; exception when others then return false; end'`

/** A table with text columns in the database's default collation. */
interface UnorderedTable {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  /** Statements that drop its policies, which reference the columns. */
  readonly policies: ReadonlyArray<string>
}

/** Returns tables with text columns not yet in byte order. `prepareNearest` creates vector partitions with theirs. */
const unorderedTables = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<UnorderedTable>, SqlError> =>
  sql<UnorderedTable>`select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns,
      array(select format('drop policy %I on %s', p.polname, p.polrelid::regclass) from pg_policy p
        where p.polrelid = c.oid) as policies
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    where n.nspname = current_schema() and c.relkind = 'r' and not c.relispartition and a.attnum > 0
      and not a.attisdropped and a.atttypid = 'text'::regtype and a.attcollation <> 'pg_catalog."C"'::regcollation
    group by c.oid, c.relname order by c.relname`

/**
 * Changes every text column to byte order, as in SQLite, whatever the database's default collation. Lists, keyset
 * pages and exports then have the same order everywhere, and no index depends on a system collation that may change.
 * Policies on such tables are dropped; `createPolicies` creates them again.
 */
const orderText = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    for (const { columns, name, policies } of yield* unorderedTables(sql)) {
      // Postgres cannot change a column that a policy references.
      for (const policy of policies) yield* sql.unsafe(policy)
      const changes = columns.map((column) => sql`alter column ${sql(column)} type text collate "C"`)
      yield* sql`alter table ${sql(name)} ${sql.csv(changes)}`
    }
  })
