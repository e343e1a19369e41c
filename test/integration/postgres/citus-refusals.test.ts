import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { migrateDatabase } from "../../../adapters/postgres/index.js"
import { plainEnvironment } from "../../support/cli.js"
import { type OwnCluster, startOwnCluster } from "../../support/postgres-cluster.js"
import { root } from "../../support/tree.js"

/** Servers with Citus that nobody has set up for a distributed database: a coordinator, a worker, and one for later. */
const servers: Array<OwnCluster> = []
const name = "kanon"
const urlAt = (place: number): string => {
  const url = new URL(servers[place]?.url ?? "")
  url.pathname = `/${name}`
  return url.href
}
const hostAt = (place: number): string => new URL(urlAt(place)).host

const send = async (url: string, ...statements: ReadonlyArray<string>) => {
  const client = new pg.Client(url)
  await client.connect()
  try {
    let rows: ReadonlyArray<unknown> = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

const restart = (place: number) => {
  servers[place]?.crash()
  servers[place]?.start()
}

const addNode = (place: number) => {
  const { hostname, port } = new URL(urlAt(place))
  return send(urlAt(0), `select citus_add_node('${hostname}', ${port})`)
}

/** Runs `kanon database distribute` from the sources. */
const distribute = async (place: number, ...options: ReadonlyArray<string>) => {
  const args = ["database", "distribute", "--database", urlAt(place), "--json", ...options]
  const ran = promisify(execFile)(
    process.execPath,
    ["--import", "tsx", join(root, "server", "cli", "main.ts"), ...args],
    { cwd: root, env: plainEnvironment() }
  )
  return ran.then(
    ({ stdout }) => ({ status: 0, stdout, stderr: "" }),
    ({ code, stderr, stdout }: { code: number; stderr: string; stdout: string }) => ({
      status: code,
      stdout,
      stderr
    })
  )
}

/** Everything that distributing changes at the coordinator. */
const state = () =>
  send(
    urlAt(0),
    `select migration_id::text as name from effect_sql_migrations
      union all select logicalrelid::text from pg_dist_partition
      union all select unnest(setconfig) from pg_db_role_setting s
        join pg_database d on d.oid = s.setdatabase and d.datname = current_database() order by 1`
  )

beforeAll(async () => {
  for (let place = 0; place < 3; place++) {
    const server = await startOwnCluster({ library: "citus" })
    servers.push(server)
    await send(server.url, "alter system set citus.shard_count = 2", `create database ${name}`)
  }
})
afterAll(() => {
  for (const server of servers) server.stop()
})

describe("kanon database distribute on servers that are not set up for it", () => {
  const refused = (...reasons: ReadonlyArray<string>) => ({
    status: 1,
    stdout: "",
    stderr: expect.stringMatching(
      new RegExp(
        `distribution_refused.*Nothing was changed: ${reasons.map((one) => `.*${one}`).join("")}`,
        "s"
      )
    )
  })

  it("is refused without the extension, and where the coordinator knows no node", async () => {
    await migrateDatabase({ database: urlAt(0) })
    expect(await distribute(0)).toEqual(refused("the extension citus is not in this database"))
    for (const place of servers.keys()) await send(urlAt(place), "create extension citus")
    expect(await distribute(0)).toEqual(
      refused("the coordinator does not know its own name", "there is no node for shards")
    )
  })

  it("is refused at a worker, where no tables are made either", async () => {
    const { hostname, port } = new URL(urlAt(0))
    await send(urlAt(0), `select citus_set_coordinator_host('${hostname}', ${port})`)
    await addNode(1)
    expect(await distribute(1)).toEqual(refused("the URL is not that of the coordinator"))
    await expect(migrateDatabase({ database: urlAt(1) })).rejects.toMatchObject({
      code: "data_unreadable",
      message: expect.stringContaining("URL of the coordinator")
    })
    expect(await send(urlAt(1), "select 1 from pg_tables where schemaname = 'public'")).toEqual([])
  })

  it("names each setting of each node that does not do, with and without a dry run, and changes nothing", async () => {
    await send(urlAt(1), "alter system set max_prepared_transactions = 5")
    restart(1)
    const before = await state()
    for (const options of [["--dry-run"], []])
      expect(await distribute(0, ...options)).toEqual(
        refused(
          `wal_level is replica on ${hostAt(0)}`,
          `max_prepared_transactions is 5 on ${hostAt(1)}, below half of its 200 connections`,
          `wal_level is replica on ${hostAt(1)}`
        )
      )
    expect(await state()).toEqual(before)
  })

  it("is refused as long as a node does not answer", async () => {
    servers[1]?.crash()
    expect(await distribute(0)).toEqual(refused(`${hostAt(1)} does not answer`))
    servers[1]?.start()
  })

  it("lists the tables in a dry run once all settings do, and then places them", async () => {
    for (const place of [0, 1]) {
      await send(
        urlAt(place),
        "alter system set wal_level = logical",
        "alter system reset max_prepared_transactions"
      )
      restart(place)
    }
    const before = await state()
    const { status, stdout } = await distribute(0, "--dry-run")
    expect({ status, ...JSON.parse(stdout) }).toMatchObject({ status: 0, refusals: [], dryRun: true })
    expect(await state()).toEqual(before)
    const done = await distribute(0)
    expect(done).toMatchObject({ status: 0 })
    expect(JSON.parse(done.stdout).tables).toEqual(JSON.parse(stdout).tables)
    expect(await state()).not.toEqual(before)
  })

  it("is refused for a node that was added without the settings, and prepares it once it has them", async () => {
    await addNode(2)
    expect(await distribute(0)).toEqual(refused(`wal_level is replica on ${hostAt(2)}`))
    await send(urlAt(2), "alter system set wal_level = logical")
    restart(2)
    const { status, stdout } = await distribute(0)
    expect({ status, ...JSON.parse(stdout) }).toMatchObject({ status: 0, refusals: [], tables: [] })
    expect(await send(urlAt(2), "show citus.propagate_set_commands")).toEqual([
      { "citus.propagate_set_commands": "local" }
    ])
  })
})
