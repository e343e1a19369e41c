import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Cluster, distributionRefusals } from "../../../adapters/postgres/distribution-refusals.js"
import {
  distributeDatabase,
  distributionStatus,
  isolateWorkspace
} from "../../../adapters/postgres/distribution-status.js"
import { dropDatabase, makeMigrated } from "../../support/postgres.js"

describe("a database without the extension", () => {
  let database = ""
  beforeAll(async () => {
    database = await makeMigrated()
  })
  afterAll(() => dropDatabase(database))

  const settings = async () => {
    const client = new pg.Client(database)
    await client.connect()
    try {
      const { rows } = await client.query(`select migration_id::text as name from effect_sql_migrations
        union all select unnest(setconfig) from pg_db_role_setting s
          join pg_database d on d.oid = s.setdatabase and d.datname = current_database()
        union all select relname from pg_class where relnamespace = 'public'::regnamespace order by 1`)
      return rows
    } finally {
      await client.end()
    }
  }

  it("is not distributed, for this reason alone, and stays as it is", async () => {
    const before = await settings()
    for (const dryRun of [true, false])
      expect(await distributeDatabase({ database, dryRun })).toEqual({
        citus: null,
        refusals: [expect.stringContaining("the extension citus is not in this database")],
        tables: [],
        placedBefore: 0,
        dryRun
      })
    expect(await settings()).toEqual(before)
    expect(await distributionStatus(database)).toMatchObject({ distributed: "no", citus: null, nodes: [] })
  })

  it("is described as the one server that it is", async () => {
    const { server } = await distributionStatus(database)
    expect(server.version).toMatch(/^\d+\.\d+$/)
    expect(server.bytes).toBeGreaterThan(1_000_000)
    expect(server.connections).toBeGreaterThan(0)
    expect(server.connectionsMax).toBeGreaterThanOrEqual(server.connections)
    expect(server).toMatchObject({
      standbys: 0,
      passages: expect.any(Number),
      workspaces: expect.any(Number)
    })
  })

  it("gives no workspace a shard of its own", async () => {
    expect(await isolateWorkspace(database, "ws_1")).toEqual({
      refusals: ["the database is not distributed"],
      workspace: "ws_1",
      shard: null,
      node: null,
      wasIsolated: false
    })
  })
})

describe("a cluster that is not fit for a distributed database", () => {
  const node = (name: string, preparedMax = 100, walLevel = "logical") => ({
    node: name,
    settings: { preparedMax, connectionsMax: 100, walLevel }
  })
  const place = {
    isCoordinator: true,
    isListed: true,
    nodesForShards: 2,
    isOwner: true,
    nodes: [node("a:5432"), node("b:5432")]
  }
  const fit: Cluster = { citus: "13.0-1", isMigrated: true, place }
  const refused = (other: Partial<typeof place>) =>
    distributionRefusals({ ...fit, place: { ...place, ...other } })

  it("is told by name which node has too few prepared transactions or no logical WAL, or does not answer", () => {
    expect(distributionRefusals(fit)).toEqual([])
    expect(refused({ nodes: [node("a:5432"), node("b:5432", 5)] })).toEqual([
      expect.stringContaining("max_prepared_transactions is 5 on b:5432, below half of its 100 connections")
    ])
    expect(refused({ nodes: [node("a:5432", 200, "replica"), node("b:5432")] })).toEqual([
      expect.stringContaining("wal_level is replica on a:5432")
    ])
    expect(
      distributionRefusals({ ...fit, place: { ...place, nodes: [{ node: "c:5432", settings: null }] } })
    ).toEqual(["c:5432 does not answer"])
  })

  it("is told every reason at once", () => {
    const all = refused({
      isListed: false,
      nodesForShards: 0,
      isOwner: false,
      nodes: [node("a:5432", 0, "minimal")]
    })
    expect(all).toHaveLength(5)
  })

  it("is told first to use the coordinator, then to migrate", () => {
    expect(distributionRefusals({ ...fit, isMigrated: false })).toEqual([
      expect.stringContaining("kanon migrate")
    ])
    const elsewhere = {
      ...fit,
      isMigrated: false,
      place: { ...place, isCoordinator: false, isListed: false }
    }
    expect(distributionRefusals(elsewhere)).toEqual(["the URL is not that of the coordinator"])
  })
})
