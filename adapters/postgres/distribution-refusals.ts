import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { pendingMigrations } from "../sql/migration-state.js"
import type { Layout } from "./distribution.js"

/** Settings of a node; null if it does not answer. */
export interface NodeSettings {
  readonly node: string
  readonly settings: {
    readonly preparedMax: number
    readonly connectionsMax: number
    readonly walLevel: string
  } | null
}

/** State of the cluster over which a database is to be distributed. */
export interface Cluster {
  /** Version of the extension in the database; null without it. */
  readonly citus: string | null
  /** Whether the schema is the newest of this program. */
  readonly isMigrated: boolean
  /** Null without the extension. */
  readonly place: {
    readonly isCoordinator: boolean
    /** Whether the coordinator is listed among the nodes, under the name by which the others reach it. */
    readonly isListed: boolean
    readonly nodesForShards: number
    /** Whether the role owns the database. */
    readonly isOwner: boolean
    readonly nodes: ReadonlyArray<NodeSettings>
  } | null
}

export const notCoordinator = "the URL is not that of the coordinator"

/** Returns why the database cannot be distributed; empty if it can. */
export const distributionRefusals = ({ citus, isMigrated, place }: Cluster): ReadonlyArray<string> => {
  if (citus === null || place === null)
    return [
      "the extension citus is not in this database: an administrator adds citus to shared_preload_libraries of every server, and runs 'create extension citus' in a database of this name on each"
    ]
  if (!place.isCoordinator) return [notCoordinator]
  if (!isMigrated) return ["the schema is not the newest that this program knows: run 'kanon migrate' first"]
  const refused = (isMet: boolean, why: string) => (isMet ? [] : [why])
  return [
    ...refused(
      place.isListed,
      "the coordinator does not know its own name: run select citus_set_coordinator_host('HOST', PORT)"
    ),
    ...refused(
      place.nodesForShards > 0,
      "there is no node for shards: run select citus_add_node('HOST', PORT) for each"
    ),
    ...refused(
      place.isOwner,
      "the role of the URL does not own the database, whose settings have to be changed"
    ),
    ...place.nodes.flatMap(settingRefusals)
  ]
}

/**
 * Citus needs these settings on every node: prepared transactions for the commit in two phases, which at most four of
 * eleven connections of a process do at once, and logical WAL to move shards while they are written to.
 */
const settingRefusals = ({ node, settings }: NodeSettings): ReadonlyArray<string> => {
  if (settings === null) return [`${node} does not answer`]
  const { connectionsMax, preparedMax, walLevel } = settings
  return [
    ...(preparedMax < connectionsMax / 2
      ? [
          `max_prepared_transactions is ${preparedMax} on ${node}, below half of its ${connectionsMax} connections, so commits in two phases could fail: set it to 0, which Citus takes as twice the connections`
        ]
      : []),
    ...(walLevel === "logical"
      ? []
      : [`wal_level is ${walLevel} on ${node}: set it to logical, which moves shards without blocked writes`])
  ]
}

/** Reads what decides whether a database can be distributed. */
export const readCluster = (sql: SqlClient.SqlClient, { citus }: Layout): Effect.Effect<Cluster, SqlError> =>
  Effect.gen(function* () {
    if (citus === null) return { citus, isMigrated: false, place: null }
    const tables = yield* sql<{ name: string }>`select tablename as name from pg_tables
      where schemaname = current_schema()`
    const { pending, schema } = yield* pendingMigrations(sql, new Set(tables.map(({ name }) => name)))
    const [place] = yield* sql<{
      coordinator: boolean
      listed: boolean
      workers: unknown
      owner: boolean
    }>`select
      (select groupid = 0 from pg_dist_local_group) as coordinator,
      exists (select 1 from pg_dist_node where groupid = 0) as listed,
      (select count(*) from pg_dist_node where shouldhaveshards and isactive and noderole = 'primary') as workers,
      pg_has_role(datdba, 'USAGE') as owner from pg_database where datname = current_database()`
    const isAsked = place?.coordinator === true && place.listed
    return {
      citus,
      isMigrated: schema > 0 && pending.length === 0,
      place: {
        isCoordinator: place?.coordinator === true,
        isListed: place?.listed === true,
        nodesForShards: Number(place?.workers ?? 0),
        isOwner: place?.owner === true,
        nodes: isAsked ? yield* nodeSettings(sql) : []
      }
    }
  })

const nodeSettings = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ node: string; answered: boolean; prepared: string; connections: string; wal: string }>`
      select n.nodename || ':' || n.nodeport as node, r.success as answered,
          split_part(r.result, ' ', 1) as prepared, split_part(r.result, ' ', 2) as connections,
          split_part(r.result, ' ', 3) as wal
        from pg_dist_node n join run_command_on_all_nodes(
          $$select concat_ws(' ', current_setting('max_prepared_transactions'), current_setting('max_connections'),
            current_setting('wal_level'))$$,
          give_warning_for_connection_errors => true) r on r.nodeid = n.nodeid
        order by n.nodeid`,
    (rows) =>
      rows.map(
        ({ answered, connections, node, prepared, wal }): NodeSettings => ({
          node,
          settings: answered
            ? { preparedMax: Number(prepared), connectionsMax: Number(connections), walLevel: wal }
            : null
        })
      )
  )
