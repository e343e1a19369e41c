import { cpSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { createEngine, migrateDatabase, postgresPorts } from "../../adapters/postgres/index.js"
import { mintAsHost, revokeAsHost } from "../../core/platform/identity/index.js"
import { Caller, scopeOf, WorkspaceId } from "../../core/platform/kernel/index.js"
import { ServerSettings } from "../../server/config.js"
import { type Running, startServer } from "../../server/main.js"
import { temporaryFolder } from "../support/folders.js"
import { type OwnCluster, startOwnCluster } from "../support/postgres-cluster.js"
import { root } from "../support/tree.js"

const variable = "KANON_DATABASE_READ_URL"
const Made = z.object({ docId: z.string() })
const Found = z.object({ results: z.array(z.object({ docPath: z.string() })) })
const Ready = z.object({ replicas: z.array(z.object({ state: z.string(), reason: z.string().nullable() })) })

const onServer = async <Row extends pg.QueryResultRow>(
  url: string,
  statement: string
): Promise<Array<Row>> => {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}

describe("a replica beside the database", () => {
  const folder = temporaryFolder("replicas")
  const [vault, data] = [join(folder, "vault"), join(folder, "data")]
  const servers: Array<Running> = []
  const logged: Array<string> = []
  let [primary, replica]: ReadonlyArray<OwnCluster> = []
  let [primaryUrl, replicaUrl, workspace] = ["", "", ""]

  const mint = async () => {
    const runtime = ManagedRuntime.make(postgresPorts({ vault, data, database: primaryUrl, replicas: [] }))
    const id = WorkspaceId.parse(workspace)
    const as = <A, E>(
      work: Effect.Effect<A, E, Caller | ManagedRuntime.ManagedRuntime.Context<typeof runtime>>
    ) =>
      runtime.runPromise(
        Effect.provideService(work, Caller, { workspace: scopeOf(id), actor: "local", activity: "ui" })
      )
    const { key, secret } = await as(
      mintAsHost({
        name: "test",
        scopes: ["kb:read", "kb:write", "agents:run", "workspace:admin"],
        expiresAt: null,
        owner: { kind: "workspace", workspace: id }
      })
    )
    return { secret, revoke: () => as(revokeAsHost(key.id)), close: () => runtime.dispose() }
  }
  let key: Awaited<ReturnType<typeof mint>>

  const serve = async (database: string, read: string) => {
    process.env[variable] = read
    try {
      servers.push(
        await startServer({
          place: { vault, data, database },
          config: ServerSettings.parse({ port: 0 }),
          version: "0",
          environment: {},
          log: (line) => void logged.push(line)
        })
      )
    } finally {
      delete process.env[variable]
    }
  }

  beforeAll(async () => {
    cpSync(join(root, "demo", "vault", "glossary"), vault, { recursive: true })
    primary = await startOwnCluster()
    primaryUrl = primary.url
    const engine = await createEngine({ vault, data, database: primaryUrl, worker: false })
    workspace = engine.workspace.id
    await engine.ingest()
    await engine.close()
    await onServer(primaryUrl, "create role served login")
    await migrateDatabase({ database: primaryUrl, serverRole: "served" })
    replica = await primary.standby()
    replicaUrl = replica.url
    key = await mint()
    // One process with the rights of the owner, and one that policies keep to one workspace.
    await serve(primaryUrl, replicaUrl)
    const asServed = (url: string) => url.replace("kanon@", "served@")
    await serve(asServed(primaryUrl), asServed(replicaUrl))
  })
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()))
    await key.close()
    replica?.stop()
    primary?.stop()
  })

  const call = async (server: number, method: string, path: string, body?: unknown, secret = key.secret) => {
    const response = await fetch(`${servers[server]?.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const told: unknown = await response.json()
    return { status: response.status, told, answerId: response.headers.get("x-answer-id") }
  }
  const ready = async (server: number) =>
    Ready.parse(await (await fetch(`${servers[server]?.url}/readyz`)).json())
  const states = async () =>
    Promise.all([0, 1].map(async (server) => (await ready(server)).replicas.map(({ state }) => state)))
  const metric = async (line: RegExp) => {
    const text = await (await fetch(`${servers[0]?.url}/metrics`)).text()
    return Number(line.exec(text)?.[1] ?? Number.NaN)
  }
  const readsAtReplica = () => metric(/^kanon_database_reads_total\{server="127[^"]*"\} (\d+)/m)
  let made = 0
  /** Writes at one server and reads at the other, at once; gives what is not seen. */
  const unseen = async (rounds: number) => {
    const missing: Array<string> = []
    for (let round = 0; round < rounds; round++) {
      made += 1
      const word = `quokka${made}`
      const [to, from] = [made % 2, (made + 1) % 2]
      const created = await call(to, "POST", "/documents", {
        path: `new/${word}.md`,
        content: `# New\n\nA ${word}.\n`
      })
      expect(created.status).toBe(201)
      const { docId } = Made.parse(created.told)
      if ((await call(from, "GET", `/documents/${docId}`)).status !== 200) missing.push(`document ${word}`)
      const { results } = Found.parse((await call(from, "GET", `/search?q=${word}`)).told)
      if (!results.some(({ docPath }) => docPath === `new/${word}.md`)) missing.push(`search ${word}`)
    }
    return missing
  }

  it("serves reads, and everybody sees at once what anybody has written", async () => {
    await expect.poll(states).toEqual([["ready"], ["ready"]])
    const before = (await readsAtReplica()) || 0
    expect(await unseen(20)).toEqual([])
    expect(await readsAtReplica()).toBeGreaterThan(before + 20)
    const searched = await onServer<{ n: string }>(
      replicaUrl,
      "select count(*) as n from pg_stat_activity where application_name = 'kanon'"
    )
    expect(Number(searched[0]?.n)).toBeGreaterThan(0)
  })

  it("answers questions, which are recorded at the primary", async () => {
    const before = await readsAtReplica()
    const answers: Array<string | null> = []
    for (const server of [0, 1]) {
      const { answerId, status } = await call(server, "POST", "/query", { question: "What is a lantern?" })
      expect(status).toBe(200)
      answers.push(answerId)
    }
    expect(await readsAtReplica()).toBeGreaterThan(before)
    const kept = await onServer<{ id: string }>(primaryUrl, "select id from answer")
    expect(answers.every((id) => kept.some((one) => one.id === id))).toBe(true)
    expect(await onServer(primaryUrl, "select 1 from policy_decision")).toHaveLength(2)
  })

  it("is left out while it is behind, and read again when it has caught up; a revoked key ends at once", async () => {
    const other = await mint()
    expect((await call(0, "GET", "/documents", undefined, other.secret)).status).toBe(200)
    await onServer(replicaUrl, "select pg_wal_replay_pause()")
    await other.revoke()
    await other.close()
    for (const server of [0, 1])
      expect((await call(server, "GET", "/documents", undefined, other.secret)).status).toBe(401)
    expect(await unseen(4)).toEqual([])
    await expect.poll(states).toEqual([["behind"], ["behind"]])
    expect(await metric(/^kanon_database_replica_ready\{[^}]*\} (\d+)/m)).toBe(0)
    expect(await metric(/^kanon_database_replica_lag_bytes\{[^}]*\} (\d+)/m)).toBeGreaterThan(0)
    const before = await readsAtReplica()
    expect(await unseen(2)).toEqual([])
    expect(await readsAtReplica()).toBe(before)
    await onServer(replicaUrl, "select pg_wal_replay_resume()")
    await expect.poll(states).toEqual([["ready"], ["ready"]])
    expect(await unseen(2)).toEqual([])
    expect(await readsAtReplica()).toBeGreaterThan(before)
  })

  it("is left out when it dies, in the middle of reads too, and read again when it is back", async () => {
    const reading = Promise.all(
      Array.from({ length: 40 }, async (_, place) => {
        await new Promise((resolve) => setTimeout(resolve, place * 10))
        return (await call(place % 2, "GET", "/search?q=lantern")).status
      })
    )
    await new Promise((resolve) => setTimeout(resolve, 150))
    replica?.crash()
    expect(new Set(await reading)).toEqual(new Set([200]))
    expect(await unseen(2)).toEqual([])
    await expect.poll(states).toEqual([["away"], ["away"]])
    const engine = await createEngine({
      vault,
      data,
      database: primaryUrl,
      worker: false,
      replicas: [replicaUrl]
    })
    const { findings } = await engine.doctor()
    await engine.close()
    expect(findings.map(({ code }) => code)).toContain("replica_left_out")
    replica?.start()
    await expect.poll(states).toEqual([["ready"], ["ready"]])
    expect(await unseen(2)).toEqual([])
    expect(logged.some((line) => line.includes("is left out"))).toBe(true)
  })

  it("must be a standby of this database", async () => {
    const opened = (replicas: ReadonlyArray<string>) =>
      createEngine({ vault, data, database: primaryUrl, worker: false, replicas })
    await expect(opened([primaryUrl])).rejects.toMatchObject({
      code: "data_unreadable",
      message: expect.stringContaining("it is no standby")
    })
    const another = await startOwnCluster()
    const itsOwn = await another.standby()
    try {
      await expect(opened([itsOwn.url])).rejects.toMatchObject({
        code: "data_unreadable",
        message: expect.stringContaining("it is a standby of another server")
      })
    } finally {
      itsOwn.stop()
      another.stop()
    }
  })

  it("is refused beside a distributed database", async () => {
    // The catalog table of the extension, by which it is recognized.
    await onServer(primaryUrl, "create table pg_dist_partition as select 1 as distributed")
    await expect(
      createEngine({ vault, data, database: primaryUrl, worker: false, replicas: [replicaUrl] })
    ).rejects.toMatchObject({ message: expect.stringContaining("is not for a distributed database") })
    await onServer(primaryUrl, "drop table pg_dist_partition")
  })
})
