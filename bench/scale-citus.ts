import pg from "pg"
import { distributeDatabase } from "../adapters/postgres/distribution-status.js"
import { migrateDatabase } from "../adapters/postgres/index.js"
import { citusServers, joinCitus } from "../test/support/citus.js"

/** A distributed database, which can be entered at each server of its cluster; the coordinator comes first. */
export interface DistributedDatabase {
  readonly owner: ReadonlyArray<string>
  /** The same with a role that servers have. */
  readonly server: ReadonlyArray<string>
  readonly drop: () => Promise<void>
}

/** Makes a database on each server of a cluster of Citus, and distributes it. */
export const makeDistributed = async (cluster: string, name: string): Promise<DistributedDatabase> => {
  const servers = await citusServers(cluster)
  const role = `${name}_server`
  const dropped = [`drop database if exists ${name} with (force)`, `drop role if exists ${role}`]
  const onEach = async (statements: ReadonlyArray<string>) => {
    // Citus would make the role on the other servers too.
    for (const server of servers)
      await send(server, ["set citus.enable_create_role_propagation = off", ...statements])
  }
  const at = (user?: string) =>
    servers.map((server) => {
      const url = new URL(server)
      url.pathname = `/${name}`
      if (user !== undefined) url.username = user
      return url.href
    })
  const owner = at()
  const [database = ""] = owner
  await onEach([...dropped, `create role ${role} login`])
  await send(cluster, [`create database ${name}`])
  await joinCitus(servers, name)
  await migrateDatabase({ database })
  const { refusals } = await distributeDatabase({ database, dryRun: false })
  if (refusals.length > 0) throw new Error(refusals.join("; "))
  await migrateDatabase({ database, serverRole: role })
  return { owner, server: at(role), drop: () => onEach(dropped) }
}

/** Sends statements one after the other. */
export const send = async (url: string, statements: ReadonlyArray<string>): Promise<void> => {
  const client = new pg.Client(url)
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
