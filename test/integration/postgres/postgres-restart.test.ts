import { cpSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { createEngine, postgresPorts } from "../../../adapters/postgres/index.js"
import { mintAsHost } from "../../../core/platform/identity/index.js"
import { Caller, scopeOf, WorkspaceId } from "../../../core/platform/kernel/index.js"
import { ServerSettings } from "../../../server/config.js"
import { type Running, startServer } from "../../../server/main.js"
import { temporaryFolder } from "../../support/folders.js"
import { type OwnCluster, startOwnCluster } from "../../support/postgres-cluster.js"
import { root } from "../../support/tree.js"

const Named = z.object({ id: z.string(), name: z.string() })
const Items = z.object({ total: z.number() })
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe("a database that crashes and comes back", () => {
  const folder = temporaryFolder("restart")
  const [vault, data] = [join(folder, "vault"), join(folder, "data")]
  const servers: Array<Running> = []
  const logged: Array<string> = []
  let cluster: OwnCluster
  let key = ""
  let workspace = ""

  beforeAll(async () => {
    cpSync(join(root, "demo", "vault", "glossary"), vault, { recursive: true })
    cluster = await startOwnCluster()
    const engine = await createEngine({ vault, data, database: cluster.url, worker: false })
    workspace = engine.workspace.id
    await engine.ingest()
    await engine.close()
    const runtime = ManagedRuntime.make(postgresPorts({ vault, data, database: cluster.url }))
    const scope = WorkspaceId.parse(workspace)
    const minted = await runtime.runPromise(
      Effect.provideService(
        mintAsHost({
          name: "test",
          scopes: ["kb:read", "kb:write", "workspace:admin"],
          expiresAt: null,
          owner: { kind: "workspace", workspace: scope }
        }),
        Caller,
        { workspace: scopeOf(scope), actor: "local", activity: "ui" }
      )
    )
    key = minted.secret
    await runtime.dispose()
    for (let place = 0; place < 2; place += 1)
      servers.push(
        await startServer({
          place: { vault, data, database: cluster.url },
          config: ServerSettings.parse({ port: 0, logLevel: "error" }),
          version: "0",
          environment: {},
          log: (line) => void logged.push(line)
        })
      )
  })
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()))
    cluster.stop()
  })

  const call = async (server: number, method: string, path: string, body?: unknown) => {
    const response = await fetch(`${servers[server]?.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const told: unknown = await response.json()
    return { status: response.status, told, retryAfter: response.headers.get("retry-after") }
  }
  const isReady = async (server: number) => (await fetch(`${servers[server]?.url}/readyz`)).status

  it("is ridden out: nobody is told 500, what was acknowledged is there, and work goes on", async () => {
    const [acknowledged, odd] = [new Map<string, string>(), [] as unknown[]]
    let isOver = false
    let refused = 0
    const client = async (lane: number) => {
      for (let place = 0; !isOver; place += 1) {
        const name = `Shelf ${lane} ${place}`
        const made = await call(lane % 2, "POST", "/entities", { name, type: "place" })
        if (made.status === 201) acknowledged.set(Named.parse(made.told).id, name)
        else if (made.status === 503 && made.retryAfter !== null) refused += 1
        else odd.push(made)
        const read = await call(lane % 2, "GET", "/entities?limit=1")
        if (read.status === 503) refused += 1
        else if (read.status !== 200) odd.push(read)
      }
    }
    const lanes = [0, 1, 2, 3].map(client)
    await sleep(500)
    // Once for a moment, which nobody needs to notice, and once for longer than anybody waits.
    cluster.crash()
    cluster.start()
    await sleep(500)
    cluster.crash()
    for (const server of [0, 1]) expect(await isReady(server)).toBe(503)
    const [written, read] = await Promise.all([
      call(0, "POST", "/entities", { name: "Nowhere", type: "place" }),
      call(1, "GET", "/entities")
    ])
    for (const refusal of [written, read])
      expect(refusal).toMatchObject({
        status: 503,
        told: { error: "database_unavailable" },
        retryAfter: expect.stringMatching(/^\d+$/)
      })
    cluster.start()
    for (const server of [0, 1]) await expect.poll(() => isReady(server)).toBe(200)
    await sleep(500)
    isOver = true
    await Promise.all(lanes)
    expect(odd).toEqual([])
    expect(refused).toBeGreaterThan(0)
    expect(acknowledged.size).toBeGreaterThan(0)
    for (const [id, name] of acknowledged) {
      const { status, told } = await call(0, "GET", `/entities/${id}`)
      expect([status, Named.parse(told).name]).toEqual([200, name])
    }
    // Workers hear of new jobs again, and do them.
    const started = await call(0, "POST", "/jobs", { kind: "graph_analytics", all: true })
    expect(started.status).toBe(202)
    const waiting = async () => {
      const counts = await Promise.all(
        ["queued", "scheduled", "running"].map((status) => call(1, "GET", `/jobs?status=${status}`))
      )
      return counts.reduce((sum, { told }) => sum + Items.parse(told).total, 0)
    }
    await expect.poll(waiting, { interval: 250 }).toBe(0)
    expect(Items.parse((await call(0, "GET", "/jobs?status=dead")).told).total).toBe(0)
    const engine = await createEngine({ vault, data, database: cluster.url, worker: false, mend: false })
    const { findings } = await engine.doctor()
    await engine.close()
    expect(findings.filter(({ severity }) => severity === "difference")).toEqual([])
  })
})
