import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { distributionMark, migrationsTable } from "../sql/migration-tables.js"
import { onDatabase } from "./distribute.js"
import { isDistributedLayout, readLayout } from "./distribution.js"
import { localTables } from "./distribution-layout.js"

export {
  type DistributionReport,
  distributeDatabase,
  type IsolationReport,
  isolateWorkspace
} from "./distribute.js"

/** A server of a distributed database. */
export interface DistributionNode {
  readonly node: string
  readonly role: "coordinator" | "worker"
  readonly isActive: boolean
  readonly shards: number
  readonly bytes: number
  /** Transactions in two phases that wait for their end; null if the node does not answer. */
  readonly unresolvedTransactions: number | null
}

/** A workspace with its number of passages, its shard and the node of that shard. */
export interface PlacedWorkspace {
  readonly workspace: string
  readonly passages: number
  readonly shard: number
  readonly node: string
}

/** The server behind the connection and what it holds; of a distributed database that is the node asked. */
export interface ServerStatus {
  /** Of Postgres, as it names itself: "16.4". */
  readonly version: string
  readonly bytes: number
  readonly connections: number
  readonly connectionsMax: number
  /** Standbys that stream from it. */
  readonly standbys: number
  /** Number of the last migration; null in a database without Kanon's tables, which has no workspaces either. */
  readonly schema: number | null
  readonly workspaces: number
  readonly passages: number
}

/** How a database is distributed. */
export interface DistributionStatus {
  readonly server: ServerStatus
  readonly distributed: "no" | "partly" | "yes"
  readonly citus: string | null
  readonly nodes: ReadonlyArray<DistributionNode>
  /** The workspaces with most passages. */
  readonly largest: ReadonlyArray<PlacedWorkspace>
  /** Tables on the coordinator. */
  readonly local: ReadonlyArray<string>
  /** Tables that are still to be placed. */
  readonly pending: ReadonlyArray<string>
}

const largestMax = 10

/** Reads how a database is distributed. */
export const distributionStatus = (database: string): Promise<DistributionStatus> =>
  onDatabase(database, (sql) =>
    Effect.gen(function* () {
      const layout = yield* readLayout(sql)
      const server = yield* serverOf(sql)
      if (!isDistributedLayout(layout))
        return {
          server,
          distributed: "no" as const,
          citus: layout.citus,
          nodes: [],
          largest: [],
          local: [],
          pending: []
        }
      return {
        server,
        distributed: layout.pending.length === 0 ? ("yes" as const) : ("partly" as const),
        citus: layout.citus,
        nodes: yield* nodesOf(sql),
        largest: yield* largestWorkspaces(sql),
        local: localTables.filter((name) => layout.placed.has(name)),
        pending: layout.pending.map(({ name }) => name)
      }
    })
  )

const serverOf = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const [server] = yield* sql<
      Omit<ServerStatus, "bytes"> & { readonly bytes: string; readonly held: boolean }
    >`
      select split_part(current_setting('server_version'), ' ', 1) as version,
        pg_database_size(current_database())::text as bytes,
        (select count(*) from pg_stat_activity where datname = current_database())::int as connections,
        current_setting('max_connections')::int as "connectionsMax",
        (select count(*) from pg_stat_replication)::int as standbys,
        null as schema, 0 as workspaces, 0 as passages,
        to_regclass(${migrationsTable}) is not null and to_regclass('chunk') is not null as held`
    if (server === undefined) return yield* Effect.dieMessage("A query of constants gave no row.")
    const { held, ...rest } = server
    const [tables] = held
      ? yield* sql<Pick<ServerStatus, "schema" | "workspaces" | "passages">>`
          select (select max(migration_id) from ${sql(migrationsTable)}
              where migration_id < ${distributionMark})::int as schema,
            (select count(*) from workspace)::int as workspaces, (select count(*) from chunk)::int as passages`
      : []
    return { ...rest, bytes: Number(rest.bytes), ...tables } satisfies ServerStatus
  })

const nodesOf = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{
      node: string
      is_worker: boolean
      active: boolean
      shards: number
      bytes: number
      answered: boolean
      unresolved: string
    }>`select n.nodename || ':' || n.nodeport as node, n.groupid <> 0 as is_worker, n.isactive as active,
        coalesce(s.shards, 0) as shards, coalesce(s.bytes, 0) as bytes, t.success as answered, t.result as unresolved
      from pg_dist_node n
        left join (select nodename, nodeport, count(*) as shards, sum(shard_size) as bytes from citus_shards
          group by nodename, nodeport) s on s.nodename = n.nodename and s.nodeport = n.nodeport
        left join run_command_on_all_nodes($$select count(*) from pg_prepared_xacts
          where database = current_database() and gid like 'citus\\_%'$$, give_warning_for_connection_errors => true) t on t.nodeid = n.nodeid
      order by n.groupid`,
    (rows) =>
      rows.map(
        ({ active, answered, bytes, is_worker, node, shards, unresolved }): DistributionNode => ({
          node,
          role: is_worker ? "worker" : "coordinator",
          isActive: active,
          shards,
          bytes,
          unresolvedTransactions: answered ? Number(unresolved) : null
        })
      )
  )

const largestWorkspaces = (sql: SqlClient.SqlClient) =>
  sql<PlacedWorkspace>`select c.workspace_id as workspace, c.passages, s.shardid as shard,
      n.nodename || ':' || n.nodeport as node
    from (select workspace_id, count(*) as passages from chunk group by workspace_id
        order by count(*) desc limit ${largestMax}) c
      join pg_dist_shard s on s.shardid = get_shard_id_for_distribution_column('chunk', c.workspace_id)
      join pg_dist_placement p on p.shardid = s.shardid
      join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
    order by c.passages desc, c.workspace_id`
