import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { unwrapExit } from "../../core/engine/engine/index.js"
import { pooled } from "./client.js"
import {
  isAtWorker,
  isDistributedLayout,
  type PendingTable,
  placeTable,
  readLayout,
  recordDistribution
} from "./distribution.js"
import { distributedTables } from "./distribution-layout.js"
import { distributionRefusals, notCoordinator, readCluster } from "./distribution-refusals.js"
import { nearestTables } from "./nearest-schema.js"
import { dropReaderPolicies } from "./reader-policies.js"

/** Result of distributing a database, or its preview. */
export interface DistributionReport {
  /** Version of the extension; null where it is missing. */
  readonly citus: string | null
  /** Why nothing was done; empty unless refused. */
  readonly refusals: ReadonlyArray<string>
  /** The tables placed now, or to be placed with `dryRun`. */
  readonly tables: ReadonlyArray<PendingTable>
  /** Number of tables that were placed before. */
  readonly placedBefore: number
  readonly dryRun: boolean
}

export interface DistributeOptions {
  /** The URL of the coordinator, as the role that owns the tables. */
  readonly database: string
  readonly dryRun: boolean
  /** Called before each table. */
  readonly onProgress?: (progress: {
    readonly table: string
    readonly done: number
    readonly total: number
  }) => void
}

/** Places every table of a database on the nodes of Citus. Tables that are placed already stay; can be run again. */
export const distributeDatabase = ({
  database,
  dryRun,
  onProgress
}: DistributeOptions): Promise<DistributionReport> =>
  onDatabase(database, (sql) =>
    Effect.gen(function* () {
      const layout = yield* readLayout(sql)
      const report = {
        citus: layout.citus,
        refusals: distributionRefusals(yield* readCluster(sql, layout)),
        tables: layout.pending,
        placedBefore: layout.placed.size,
        dryRun
      }
      if (dryRun || report.refusals.length > 0) return report
      // Server roles are told apart on the nodes by a setting, which Citus passes on only if it is told to. Servers may
      // connect to any node, and Citus does not pass on a change of the database itself.
      const unset = yield* sql<{ result: string }>`select r.result from run_command_on_all_nodes(format(
        'alter database %I set citus.propagate_set_commands = %L', current_database(), 'local')) r where not r.success`
      if (unset.length > 0) return { ...report, refusals: unset.map(({ result }) => result) }
      yield* recordDistribution(sql, true)
      yield* dropVectorTables(sql)
      yield* dropReaderPolicies(sql)
      for (const [done, table] of layout.pending.entries()) {
        onProgress?.({ table: table.name, done, total: layout.pending.length })
        yield* placeTable(sql, table)
      }
      yield* sql`select create_distributed_function('kanon_is_json(text)')`
      yield* freeLocalCopies(sql)
      return report
    })
  )

/** Removes the rows that a distributed table left on the coordinator, in the order of its references. */
const freeLocalCopies = (sql: SqlClient.SqlClient) =>
  Effect.forEach(
    [...distributedTables].reverse(),
    (name) => sql`select truncate_local_data_after_distributing_table(${name}::regclass)`,
    { discard: true }
  )

/** Partitions of vectors per workspace cannot be distributed. They are derived: processes search by themselves. */
const dropVectorTables = (sql: SqlClient.SqlClient) =>
  Effect.forEach(nearestTables, (name) => sql`drop table if exists ${sql(name)}`, { discard: true })

/** Result of giving a workspace a shard of its own. */
export interface IsolationReport {
  readonly refusals: ReadonlyArray<string>
  readonly workspace: string
  /** The shard of the workspace, and its node. */
  readonly shard: number | null
  readonly node: string | null
  /** Whether it had a shard of its own before. */
  readonly wasIsolated: boolean
}

/** Longest time for which writes wait while a workspace gets its own shard. */
const isolationLimitMs = 600_000

/**
 * Gives a workspace a shard of its own, which can be moved to another node alone. Writes of the old shard wait
 * meanwhile: Citus 13 can split without blocking them, but that does not end under writes.
 */
export const isolateWorkspace = (database: string, workspace: string): Promise<IsolationReport> =>
  onDatabase(database, (sql) =>
    Effect.gen(function* () {
      const layout = yield* readLayout(sql)
      const refused = (why: string): IsolationReport => ({
        refusals: [why],
        workspace,
        shard: null,
        node: null,
        wasIsolated: false
      })
      if (!isDistributedLayout(layout)) return refused("the database is not distributed")
      if (yield* isAtWorker(sql)) return refused(notCoordinator)
      const [known] = yield* sql`select 1 from workspace where id = ${workspace}`
      if (known === undefined) return refused(`there is no workspace ${workspace} in the database`)
      const before = yield* shardOf(sql, workspace)
      if (!before.isOwn) {
        yield* sql.unsafe(`set statement_timeout = ${isolationLimitMs}`)
        yield* sql`select isolate_tenant_to_new_shard(${distributedTables[0]}::regclass, ${workspace}::text, 'CASCADE',
          shard_transfer_mode => 'block_writes')`.pipe(
          // A split that failed leaves shards behind, which would stand in the way of the next one.
          Effect.tapError(() => Effect.ignore(sql`call citus_cleanup_orphaned_resources()`))
        )
      }
      const { node, shard } = yield* shardOf(sql, workspace)
      return { refusals: [], workspace, shard, node, wasIsolated: before.isOwn }
    })
  )

const shardOf = (sql: SqlClient.SqlClient, workspace: string) =>
  Effect.map(
    sql<{
      shard: number
      node: string
      own: boolean
    }>`select s.shardid as shard, n.nodename || ':' || n.nodeport as node,
        s.shardminvalue = s.shardmaxvalue as own
      from pg_dist_shard s join pg_dist_placement p on p.shardid = s.shardid
        join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
      where s.shardid = get_shard_id_for_distribution_column(${distributedTables[0]}::regclass, ${workspace}::text)`,
    ([row]) => ({ shard: row?.shard ?? null, node: row?.node ?? null, isOwn: row?.own === true })
  )

/** Runs work on one connection to a database. */
export const onDatabase = <A, E>(
  url: string,
  work: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>
): Promise<A> =>
  unwrapExit(
    Effect.runPromiseExit(
      Effect.provide(
        Effect.orDie(Effect.flatMap(SqlClient.SqlClient, work)),
        pooled({ url, connectionsMax: 1 })
      )
    )
  )
