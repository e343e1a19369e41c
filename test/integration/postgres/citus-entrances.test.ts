import { cpSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  distributeDatabase,
  distributionStatus,
  isolateWorkspace
} from "../../../adapters/postgres/distribution-status.js"
import {
  createEngine,
  type Engine,
  migrateDatabase,
  postgresPorts
} from "../../../adapters/postgres/index.js"
import { AnswerStore, type CacheEntry } from "../../../core/answers/answering/index.js"
import { DocumentId, EntityId, scopeOf, WorkspaceId } from "../../../core/platform/kernel/index.js"
import { temporaryFolder } from "../../support/folders.js"
import { dropDatabase, entrancesOf, makeServedDatabase } from "../../support/postgres.js"
import { runEffect } from "../../support/run.js"
import { root } from "../../support/tree.js"

const folder = temporaryFolder("entrances")
const vault = join(folder, "vault")
/** URLs of the role of a server, at the coordinator and at a worker. */
let [owner, coordinator, worker] = ["", "", ""]
const opened: Array<Engine> = []

const open = async (database: string): Promise<Engine> => {
  const engine = await createEngine({ vault, data: join(folder, "data"), database, listen: coordinator })
  opened.push(engine)
  return engine
}

beforeAll(async () => {
  const made = await makeServedDatabase()
  owner = made.owner
  ;[coordinator = "", worker = ""] = entrancesOf(made.server)
  for (const name of ["products", "decisions"])
    cpSync(join(root, "demo", "vault", name), join(vault, name), { recursive: true })
})
afterAll(async () => {
  await Promise.all(opened.map((engine) => engine.close()))
  await dropDatabase(owner)
})

const exported = async (engine: Engine): Promise<string> => {
  const parts: Array<Uint8Array> = []
  for await (const bytes of engine.export()) parts.push(bytes)
  return Buffer.concat(parts).toString()
}

describe("servers of a distributed database, one at the coordinator and one at a worker", () => {
  let [first, second]: ReadonlyArray<Engine> = []
  const both = (): readonly [Engine, Engine] => {
    if (first === undefined || second === undefined) throw new Error("The engines are not open.")
    return [first, second]
  }

  it("do all the work of an engine, each sees at once what the other has written", async () => {
    first = await open(coordinator)
    expect((await first.ingest()).documents).toMatchObject({ failed: 0, unchanged: 0 })
    second = await open(worker)
    expect(second.workspace.id).toBe(first.workspace.id)
    for (const engine of both()) {
      expect((await engine.search("lantern warranty")).results[0]?.docPath).toBe("products/warranty.md")
      expect((await engine.ask("Which decision superseded ADR-0003?")).claims.length).toBeGreaterThan(0)
    }
    for (const [place, engine] of both().entries()) {
      const { docId } = await engine.documents.create({
        path: `seen-${place}.md`,
        content: `# Seen ${place}\n`
      })
      expect(await (both()[1 - place] ?? engine).documents.get(docId)).toMatchObject({
        title: `Seen ${place}`
      })
      const { id } = await engine.entities.create({ name: `Winter store ${place}`, type: "place" })
      await engine.entities.update(id, { description: "Where lanterns wait." })
      await engine.entities.remove(id)
    }
  })

  it("write one after the other, so that the audit trail is one chain", async () => {
    const count = 12
    await Promise.all(
      both().flatMap((engine, place) =>
        Array.from({ length: count }, (_, number) =>
          engine.documents.create({ path: `w/${place}-${number}.md`, content: `# Note ${place} ${number}\n` })
        )
      )
    )
    const [at, beside] = both()
    expect((await at.documents.list({ pathPrefix: "w/", limit: 100 })).items).toHaveLength(2 * count)
    expect(await beside.audit.verify()).toMatchObject({ ok: true, differences: 0 })
    await at.ingest()
    expect(await exported(beside)).toBe(await exported(at))
    for (const engine of both()) {
      const { findings, ok } = await engine.doctor()
      expect([ok, findings.map(({ code }) => code)]).toEqual([true, ["vectors_in_process"]])
    }
  })

  it("are heard at the coordinator when they add jobs", async () => {
    const listener = new pg.Client(coordinator)
    await listener.connect()
    const heard: Array<string> = []
    listener.on("notification", ({ channel }) => heard.push(channel))
    await listener.query("listen kanon_job")
    try {
      for (const engine of both()) {
        heard.length = 0
        await engine.jobs.start("reindex")
        await expect.poll(() => heard).toContain("kanon_job")
      }
    } finally {
      await listener.end()
    }
  })

  it("keep and give cached answers of their workspace", () => {
    const [{ documents, entities, workspace }] = both()
    const scope = scopeOf(WorkspaceId.parse(workspace.id))
    const entry: CacheEntry = {
      id: "ans_1",
      scope: "s",
      evidence: "e",
      versions: "v",
      question: "Where?",
      kept: {
        answer: "In the cellar [S1].",
        claims: [{ text: "In the cellar.", citations: ["S1"] }],
        checks: [{ supported: true, status: "supported", support: 0.9 }],
        sources: [],
        entityIds: [],
        verdict: "answer"
      },
      createdAt: "2026-01-01T00:00:00.000Z",
      expiresAt: "2027-01-01T00:00:00.000Z"
    }
    const work = (database: string) =>
      Effect.gen(function* () {
        const store = (yield* AnswerStore).cache
        const document = (yield* Effect.promise(() => documents.list({ limit: 1 }))).items[0]?.id ?? ""
        const entity = (yield* Effect.promise(() => entities.list({ limit: 1 }))).entities[0]?.id ?? ""
        const rests = { documents: [DocumentId.parse(document)], entities: [EntityId.parse(entity)] }
        expect(yield* store.put(scope, entry, rests, { entries: 10, bytes: 1e6 })).toBe(true)
        expect(yield* store.like(scope, { ...entry, at: entry.createdAt }, 10)).toEqual([entry])
        expect(
          yield* store.put(
            scope,
            { ...entry, id: "ans_2" },
            { ...rests, entities: [EntityId.parse(`ent_01${"z".repeat(24)}`)] },
            { entries: 10, bytes: 1e6 }
          )
        ).toBe(false)
      }).pipe(Effect.provide(postgresPorts({ vault, data: join(folder, "data"), database })), Effect.orDie)
    return runEffect(Effect.forEach([coordinator, worker], work, { discard: true }))
  })
})

describe("the commands for a distributed database", () => {
  it("change tables at the coordinator alone", async () => {
    const [atCoordinator = "", atWorker = ""] = entrancesOf(owner)
    const serverRole = new URL(coordinator).username
    expect(await migrateDatabase({ database: worker })).toMatchObject({ migrations: [], repairs: [] })
    await expect(migrateDatabase({ database: atWorker, serverRole })).rejects.toMatchObject({
      code: "data_unreadable",
      message: expect.stringContaining("URL of the coordinator")
    })
    const elsewhere = ["the URL is not that of the coordinator"]
    expect(await distributeDatabase({ database: atWorker, dryRun: false })).toMatchObject({
      refusals: elsewhere
    })
    expect(await isolateWorkspace(atWorker, "ws_1")).toMatchObject({ refusals: elsewhere })
    expect(await isolateWorkspace(atCoordinator, "ws_1")).toMatchObject({
      refusals: ["there is no workspace ws_1 in the database"]
    })
    expect(await distributeDatabase({ database: atCoordinator, dryRun: false })).toMatchObject({
      refusals: [],
      tables: []
    })
    const { distributed, nodes, pending } = await distributionStatus(atCoordinator)
    expect({ distributed, pending }).toEqual({ distributed: "yes", pending: [] })
    expect(nodes.map(({ unresolvedTransactions }) => unresolvedTransactions)).toEqual(nodes.map(() => 0))
  })

  it("prepare each node for servers", async () => {
    const [atCoordinator = "", atWorker = ""] = entrancesOf(owner)
    const client = new pg.Client(atWorker)
    await client.connect()
    const name = new URL(owner).pathname.slice(1)
    await client.query(`alter database ${name} reset citus.propagate_set_commands`)
    await client.end()
    await expect(open(worker)).rejects.toMatchObject({
      code: "data_unreadable",
      message: expect.stringContaining("kanon database distribute")
    })
    await distributeDatabase({ database: atCoordinator, dryRun: false })
    expect((await open(worker)).workspace.id).toBe(opened[0]?.workspace.id)
  })
})
