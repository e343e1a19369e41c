import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { distributionMark, migrationsTable } from "../sql/migration-tables.js"
import { distributedTables, localTables } from "./distribution-layout.js"

/** How far a database is distributed. */
export interface Layout {
  /** Version of the extension in this database; null without it. */
  readonly citus: string | null
  /** Tables that are where the layout wants them. */
  readonly placed: ReadonlySet<string>
  /** Tables of the layout that exist and are not yet placed, in the order to place them. */
  readonly pending: ReadonlyArray<PendingTable>
}

export interface PendingTable {
  readonly name: string
  readonly placement: "distributed" | "local"
}

/** Returns the layout of the database; without the extension nothing is placed or pending. */
export const readLayout = (sql: SqlClient.SqlClient): Effect.Effect<Layout, SqlError> =>
  Effect.gen(function* () {
    const [extension] = yield* sql<{ version: string }>`select extversion as version from pg_extension
      where extname = 'citus'`
    if (extension === undefined) return { citus: null, placed: new Set<string>(), pending: [] }
    const tables = yield* sql<{ name: string; placement: string | null }>`select c.relname as name,
        case p.partmethod when 'h' then 'distributed' when 'n' then 'local' end as placement
      from pg_class c left join pg_dist_partition p on p.logicalrelid = c.oid
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and not c.relispartition`
    const found = new Map(tables.map(({ name, placement }) => [name, placement]))
    const wanted = [
      ...localTables.map((name): PendingTable => ({ name, placement: "local" })),
      ...distributedTables.map((name): PendingTable => ({ name, placement: "distributed" }))
    ]
    return {
      citus: extension.version,
      placed: new Set(wanted.flatMap(({ name, placement }) => (found.get(name) === placement ? [name] : []))),
      pending: wanted.filter(({ name, placement }) => found.has(name) && found.get(name) !== placement)
    }
  })

/** Whether Kanon's tables are distributed in this database, wholly or in part. */
export const isDistributedLayout = ({ placed }: Layout): boolean => placed.has(firstDistributed)

const [firstDistributed] = distributedTables

/** Whether this connection is to a worker, where tables cannot be changed, and none may be made before they are distributed. */
export const isAtWorker = (sql: SqlClient.SqlClient): Effect.Effect<boolean, SqlError> =>
  Effect.gen(function* () {
    if ((yield* readLayout(sql)).citus === null) return false
    const [found] = yield* sql<{ worker: boolean }>`select groupid <> 0 as worker from pg_dist_local_group`
    return found?.worker === true
  })

/** Places a table. Tables with rows keep them; those of a distributed table remain on the coordinator until freed. */
export const placeTable = (
  sql: SqlClient.SqlClient,
  { name, placement }: PendingTable
): Effect.Effect<void, SqlError> =>
  Effect.asVoid(
    placement === "local"
      ? sql`select citus_add_local_table_to_metadata(${name}::regclass)`
      : name === firstDistributed
        ? sql`select create_distributed_table(${name}::regclass, 'workspace_id', colocate_with => 'none')`
        : sql`select create_distributed_table(${name}::regclass, 'workspace_id', colocate_with => ${firstDistributed})`
  )

/**
 * Migrates the tables of a database that may be distributed: places those that `work` makes, in its transaction, which
 * would otherwise be local without anybody noticing.
 */
export const migratingDistributed = <A, E, R>(
  sql: SqlClient.SqlClient,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError, R> =>
  Effect.gen(function* () {
    if (!isDistributedLayout(yield* readLayout(sql))) return yield* work
    // Shards are changed one after the other, because one transaction changes tables and places new ones.
    yield* sql`set local citus.multi_shard_modify_mode = 'sequential'`
    yield* recordDistribution(sql, false)
    const done = yield* work
    for (const table of (yield* readLayout(sql)).pending) yield* placeTable(sql, table)
    yield* recordDistribution(sql, true)
    return done
  })

/** Records that the database is distributed, or removes the record while migrations are applied. */
export const recordDistribution = (sql: SqlClient.SqlClient, isSet: boolean): Effect.Effect<void, SqlError> =>
  Effect.asVoid(
    isSet
      ? sql`insert into ${sql(migrationsTable)} (migration_id, name) values (${distributionMark}, 'distributed')
          on conflict do nothing`
      : sql`delete from ${sql(migrationsTable)} where migration_id = ${distributionMark}`
  )
