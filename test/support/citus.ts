import pg from "pg"
import { distributeDatabase } from "../../adapters/postgres/distribute.js"

const asked = async (url: string, statement: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

const at = (url: string, { database, host, port }: { database?: string; host?: unknown; port?: unknown }): string => {
  const other = new URL(url)
  if (database !== undefined) other.pathname = `/${database}`
  if (host !== undefined) other.host = `${host}:${port}`
  return other.href
}

/** The servers of the cluster, the coordinator first; its nodes are read from the database of the URL. */
export const citusServers = async (coordinator: string): Promise<ReadonlyArray<string>> => {
  const nodes = await asked(coordinator, "select nodename, nodeport from pg_dist_node where groupid > 0")
  return [coordinator, ...nodes.map(({ nodename, nodeport }) => at(coordinator, { host: nodename, port: nodeport }))]
}

/** Prepares a database on every server for the tables of Kanon. */
export const joinCitus = async (servers: ReadonlyArray<string>, database: string): Promise<void> => {
  for (const server of servers) {
    if (server !== servers[0]) await asked(server, `create database ${database}`)
    await asked(at(server, { database }), "create extension citus")
  }
  const [coordinator, ...workers] = servers.map((server) => new URL(at(server, { database })))
  if (coordinator === undefined) return
  await asked(
    coordinator.href,
    `select citus_set_coordinator_host('${coordinator.hostname}', ${coordinator.port})`
  )
  for (const { hostname, port } of workers)
    await asked(coordinator.href, `select citus_add_node('${hostname}', ${port})`)
}

/** Distributes a database with the newest schema, and keeps everybody out of it, so that it can be copied. */
export const distributeTemplate = async (servers: ReadonlyArray<string>, database: string): Promise<void> => {
  const [coordinator = ""] = servers
  const { refusals } = await distributeDatabase({ database: at(coordinator, { database }), dryRun: false })
  if (refusals.length > 0) throw new Error(refusals.join("; "))
  for (const server of servers) {
    // The daemon of the extension would be connected otherwise.
    await asked(server, `alter database ${database} allow_connections false`)
    await asked(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`)
  }
}
