import * as Effect from "effect/Effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { z } from "zod"
import { SourceUnauthorized } from "../../../core/connected/sources/index.js"
import { operations } from "../../../core/operations.js"
import type { Scope, WorkspaceId } from "../../../core/platform/kernel/index.js"
import { ModelSource } from "../../support/model-source.js"
import { startServer, type TestServer } from "../../support/server.js"
import { workOff } from "../../support/work-off.js"

let source = new ModelSource({ changes: "feed", deletions: "changes" })
const provider = source.provider()

let server: TestServer
let workspace: WorkspaceId
let key = ""
beforeAll(async () => {
  // Each test has a source of its own behind the one provider.
  server = await startServer({
    crawlers: [{ ...provider, open: () => Effect.succeed(source.crawler()) }]
  })
})
afterAll(() => server.close())
beforeEach(async () => {
  source = new ModelSource({ changes: "feed", deletions: "changes" })
  workspace = await server.workspace("sources")
  key = await server.key(workspace)
})

const Body = z.record(z.string(), z.unknown())
const send = async (method: string, path: string, body?: unknown, as = key) => {
  const answer = await server.call(method, `/api/v1${path}`, {
    key: as,
    ...(body === undefined ? {} : { body })
  })
  return { status: answer.status, body: Body.parse(answer.body) }
}
const keyWith = (...scopes: ReadonlyArray<Scope>) => server.key(workspace, scopes)
const work = () => server.as(workspace, workOff)

const wiki = { name: "Team wiki", kind: "wiki", config: { provider: "model", url: "https://wiki.example/a" } }
const connect = async (more: Readonly<Record<string, unknown>> = {}) => {
  const made = await send("POST", "/connectors", { ...wiki, ...more })
  expect(made.status).toBe(201)
  return String(made.body["id"])
}
/** Syncs and gives the run as it is shown. */
const sync = async (id: string, body: Readonly<Record<string, unknown>> = {}) => {
  const started = await send("POST", `/connectors/${id}/sync`, body)
  expect(started).toMatchObject({ status: 202, body: { status: "queued" } })
  await work()
  const shown = operations.getContentConnector.output.parse((await send("GET", `/connectors/${id}`)).body)
  const run = shown.syncs.find((one) => one.id === started.body["syncId"])
  if (run === undefined) throw new RangeError("The run is not shown.")
  return run
}
const documents = async () => {
  const { items } = operations.listDocuments.output.parse((await send("GET", "/documents?limit=200")).body)
  return new Map(items.map((one) => [one.path, one.id]))
}
const idAt = async (path: string) => {
  const id = (await documents()).get(path)
  if (id === undefined) throw new RangeError(`There is no ${path}.`)
  return id
}
const page = (number: number) => {
  source.put(`${number}`, `Page ${number}.md`, `# Page ${number}\n\nThe wombat ${number} sleeps.\n`)
}

describe("content connectors over HTTP", () => {
  it("are made, listed, changed and deleted, and never show their credential", async () => {
    const made = await send("POST", "/connectors", {
      ...wiki,
      credential: "canary-secret",
      schedule: "0 3 * * *"
    })
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: "Team wiki",
        enabled: true,
        hasCredential: true,
        pathPrefix: "team-wiki",
        schedule: "0 3 * * *",
        lastSync: null
      }
    })
    const id = String(made.body["id"])
    expect(await send("POST", "/connectors", { ...wiki, name: "team WIKI" })).toMatchObject({
      status: 409,
      body: { error: "conflict", message: expect.any(String) }
    })
    expect(await send("GET", "/connectors?kind=chat")).toMatchObject({ status: 200, body: { total: 0 } })
    const list = await send("GET", "/connectors?enabled=true", undefined, await keyWith("data:read"))
    expect(list).toMatchObject({ status: 200, body: { total: 1 } })
    const sameHost = { config: { ...wiki.config, url: "https://wiki.example/b" } }
    expect((await send("PATCH", `/connectors/${id}`, sameHost)).body).toMatchObject({ hasCredential: true })
    const otherHost = { config: { ...wiki.config, url: "https://elsewhere.example/a" } }
    expect((await send("PATCH", `/connectors/${id}`, otherHost)).body).toMatchObject({ hasCredential: false })
    await send("PATCH", `/connectors/${id}`, { credential: "canary-secret", name: "Wiki", schedule: null })
    const shown = await send("GET", `/connectors/${id}`)
    expect(shown.body).toMatchObject({
      connector: { name: "Wiki", hasCredential: true, schedule: null },
      syncs: []
    })
    const audit = await send("GET", "/audit")
    expect(JSON.stringify([made, list, shown, audit])).not.toContain("canary-secret")
    expect(await send("DELETE", `/connectors/${id}`)).toEqual({ status: 200, body: { deleted: true, id } })
    expect((await send("GET", `/connectors/${id}`)).status).toBe(404)
    expect((await send("DELETE", `/connectors/${id}`)).status).toBe(404)
    expect((await send("POST", "/connectors", wiki)).status).toBe(201)
  })

  it("are refused with a configuration, a schedule or a folder that cannot be", async () => {
    const refusals: ReadonlyArray<readonly [Readonly<Record<string, unknown>>, string]> = [
      [{ config: { provider: "unknown" } }, "config"],
      [{ config: { provider: "model", unknown: 1 } }, "config"],
      [{ kind: "chat" }, "config"],
      [{ schedule: "every day" }, "schedule"],
      [{ schedule: "0 0 0 3 * *" }, "schedule"],
      [{ schedule: "0 0 30 2 *" }, "schedule"],
      [{ pathPrefix: "../away" }, "pathPrefix"],
      [{ name: "" }, "name"]
    ]
    for (const [change, field] of refusals) {
      const refused = await send("POST", "/connectors", { ...wiki, ...change })
      expect(refused, JSON.stringify(change)).toMatchObject({ status: 400, body: { error: "invalid_body" } })
      expect(JSON.stringify(refused.body["issues"])).toContain(field)
    }
    expect((await send("PATCH", `/connectors/${await connect()}`, {})).status).toBe(400)
  })

  it("bring documents over with their provenance, which lineage, search and answers show", async () => {
    page(1)
    page(2)
    const id = await connect()
    expect(await sync(id)).toMatchObject({
      status: "succeeded",
      mode: "incremental",
      seen: 2,
      created: 2,
      failed: 0,
      percent: 100
    })
    const document = await idAt("team-wiki/Page 1.md")
    expect((await send("GET", `/documents/${document}`)).body).toMatchObject({
      source: { url: "https://source.example/1", author: "Ada", modifiedAt: "2001-02-03T04:05:06.000Z" }
    })
    const lineage = operations.getDocumentLineage.output.parse(
      (await send("GET", `/documents/${document}/lineage`)).body
    )
    expect(lineage.origin).toMatchObject({
      kind: "connector",
      connectorId: id,
      source: "https://source.example/1",
      externalId: "1",
      sourceVersion: "r1",
      recentSyncRuns: [{ status: "succeeded", mode: "incremental" }]
    })
    expect(lineage.origin.lastSyncAt).not.toBeNull()
    const found = await send("GET", "/search?q=wombat")
    expect(JSON.stringify(found.body)).toContain("https://source.example/2")
    const answered = await send("POST", "/query", { question: "Which wombat sleeps?" })
    expect(operations.query.output.parse(answered.body).sources[0]?.sourceUrl).toMatch(
      /^https:\/\/source\.example\//
    )
    const before = source.fetched
    expect(await sync(id)).toMatchObject({ status: "succeeded", created: 0, updated: 0, unchanged: 0 })
    expect(source.fetched).toBe(before)
  })

  it("follow changes, moves and deletions, and withdraw the verification of a text that changed", async () => {
    for (const number of [1, 2, 3]) page(number)
    const id = await connect()
    await sync(id)
    const [first, second, third] = [
      await idAt("team-wiki/Page 1.md"),
      await idAt("team-wiki/Page 2.md"),
      await idAt("team-wiki/Page 3.md")
    ]
    await send("POST", `/documents/${first}/verify`, { verification: "verified" })
    source.put("1", "Page 1.md", "# Page 1\n\nIt is awake.\n")
    source.move("2", "Moved/Page 2.md")
    source.remove("3")
    expect(await sync(id)).toMatchObject({ created: 0, updated: 2, removed: 1, failed: 0 })
    expect(await documents()).toEqual(
      new Map([
        ["team-wiki/Moved/Page 2.md", second],
        ["team-wiki/Page 1.md", first]
      ])
    )
    const { governance } = operations.getDocumentLineage.output.parse(
      (await send("GET", `/documents/${first}/lineage`)).body
    )
    expect(governance.verification).toBe("unverified")
    expect(JSON.stringify((await send("GET", "/trash")).body)).toContain(third)
    source.put("3", "Page 3.md", "# Page 3\n\nBack again.\n")
    expect(await sync(id)).toMatchObject({ created: 0, updated: 1 })
    expect(await idAt("team-wiki/Page 3.md")).toBe(third)
  })

  it("never overwrite what was edited here: the conflict is told until it is settled", async () => {
    page(1)
    const id = await connect()
    await sync(id)
    const document = await idAt("team-wiki/Page 1.md")
    const text = async () => (await send("GET", `/documents/${document}`)).body["content"]
    const edit = (content: string) => send("PATCH", `/documents/${document}`, { content })
    await edit("# Ours\n")
    expect(await sync(id)).toMatchObject({ failed: 0 })
    source.put("1", "Page 1.md", "# Theirs\n")
    for (let time = 0; time < 2; time++) {
      const told = await sync(id)
      expect(told).toMatchObject({ status: "succeeded", updated: 0, failed: 1 })
      expect(told.failures[0]).toMatchObject({ externalId: "1" })
      expect(told.failures[0]?.reason).toMatch(/^conflict:/)
      expect(await text()).toBe("# Ours\n")
    }
    expect(await sync(id, { onConflict: "keep" })).toMatchObject({ failed: 0 })
    expect(await sync(id)).toMatchObject({ failed: 0 })
    expect(await text()).toBe("# Ours\n")
    source.put("1", "Page 1.md", "# Theirs again\n")
    expect(await sync(id)).toMatchObject({ failed: 1 })
    expect(await sync(id, { onConflict: "source" })).toMatchObject({ failed: 0, updated: 1 })
    expect(await text()).toBe("# Theirs again\n")
    await edit("# Ours once more\n")
    source.remove("1")
    expect(await sync(id)).toMatchObject({ removed: 0, failed: 1 })
    expect(await text()).toBe("# Ours once more\n")
    expect(await sync(id, { onConflict: "source" })).toMatchObject({ removed: 1, failed: 0 })
    expect((await send("GET", `/documents/${document}`)).status).toBe(404)
  })

  it("leave a document in the trash that was deleted here, until the source changes it", async () => {
    page(1)
    const id = await connect()
    await sync(id)
    const document = await idAt("team-wiki/Page 1.md")
    await send("DELETE", `/documents/${document}`)
    expect(await sync(id, { mode: "full" })).toMatchObject({ unchanged: 1, updated: 0 })
    expect((await documents()).size).toBe(0)
    source.put("1", "Page 1.md", "# Page 1\n\nChanged.\n")
    expect(await sync(id)).toMatchObject({ updated: 1 })
    expect(await idAt("team-wiki/Page 1.md")).toBe(document)
  })

  it("hold removals when much is gone at once, and tell in a dry run what would change", async () => {
    for (let number = 0; number < 10; number++) page(number)
    const id = await connect()
    await sync(id)
    for (let number = 0; number < 5; number++) source.remove(`${number}`)
    page(11)
    const planned = await sync(id, { dryRun: true, allowRemovals: true })
    expect(planned).toMatchObject({ dryRun: true, created: 1, removed: 5 })
    expect(planned.changes).toContainEqual({ externalId: "11", op: "create", path: "team-wiki/Page 11.md" })
    expect(planned.changes).toContainEqual({ externalId: "0", op: "remove", path: "team-wiki/Page 0.md" })
    expect((await documents()).size).toBe(10)
    expect(await sync(id)).toMatchObject({ created: 1, removed: 0, heldRemovals: 5 })
    expect((await documents()).size).toBe(11)
    expect(await sync(id, { allowRemovals: true })).toMatchObject({ removed: 5, heldRemovals: 0 })
    for (const number of [5, 6, 7, 8, 9, 11]) source.remove(`${number}`)
    expect(await sync(id, { mode: "full" })).toMatchObject({ removed: 0, heldRemovals: 6 })
    expect(await sync(id, { mode: "full", allowRemovals: true })).toMatchObject({ removed: 6 })
    expect((await documents()).size).toBe(0)
  })

  it("tell items that fail, one by one, and try them again", async () => {
    page(1)
    source.put("2", "../outside.md", "# Outside\n")
    source.put("3", "Page 1.md", "# The same path\n")
    const id = await connect()
    const run = await sync(id)
    expect(run).toMatchObject({ status: "succeeded", created: 1, failed: 2 })
    expect(run.failures.map(({ externalId }) => externalId)).toEqual(["2", "3"])
    source.remove("1")
    expect(await sync(id, { mode: "full" })).toMatchObject({ created: 1, removed: 1, failed: 1 })
    source.move("2", "inside.md")
    expect(await sync(id)).toMatchObject({ created: 1, failed: 0 })
  })

  it("tell what of an item is missing, in the run and in the lineage of its document", async () => {
    page(1)
    const [id, warnings] = [await connect(), ["2 images were\n left out.", "The macro chart was left out."]]
    source.put("2", "Page 2.md", "# Page 2\n", { warnings })
    const messages = ["2 images were left out.", "The macro chart was left out."]
    const told = { failed: 0, warned: 1, warnings: [{ externalId: "2", messages }] }
    expect(await sync(id, { dryRun: true })).toMatchObject(told)
    expect(await sync(id)).toMatchObject(told)
    const originOf = async (path: string) => {
      const { body } = await send("GET", `/documents/${await idAt(path)}/lineage`)
      return operations.getDocumentLineage.output.parse(body).origin
    }
    expect(await originOf("team-wiki/Page 1.md")).toMatchObject({ failure: null, warnings: [] })
    expect(await originOf("team-wiki/Page 2.md")).toMatchObject({ failure: null, warnings: messages })
    expect(await sync(id)).toMatchObject({ warned: 0, warnings: [] })
    source.put("2", "Page 1.md", "# Page 2\n\nIt wants the path of another one.\n")
    expect(await sync(id)).toMatchObject({ failed: 1, warned: 0 })
    expect(await originOf("team-wiki/Page 2.md")).toMatchObject({ warnings: messages })
    expect((await originOf("team-wiki/Page 2.md")).failure).toContain("Page 1.md")
    source.put("2", "Page 2.md", "# Page 2\n\nIt is whole now.\n")
    expect(await sync(id)).toMatchObject({ failed: 0, warned: 0 })
    expect(await originOf("team-wiki/Page 2.md")).toMatchObject({ failure: null, warnings: [] })
  })

  it("are compared by the dates of their originals: of two that contradict each other the later one is preferred", async () => {
    const put = (number: string, fee: number, year: number) =>
      source.put(number, `Tariff ${number}.md`, `# Tariff ${number}\n\nThe pilot fee is ${fee} euros.\n`, {
        modifiedAt: `${year}-05-01T00:00:00.000Z`
      })
    const preferred = async () => {
      const asked = await send("POST", "/query", { question: "What is the pilot fee?" })
      const { policy, sources } = operations.query.output.parse(asked.body)
      const [conflict] = policy.conflicts
      expect(conflict?.reason).toContain("was changed later")
      return sources.find((one) => one.id === conflict?.preferred)?.docPath
    }
    const id = await connect()
    put("1", 340, 2026)
    put("2", 290, 2019)
    await sync(id)
    expect(await preferred()).toBe("team-wiki/Tariff 1.md")
    put("1", 340, 2018)
    await sync(id)
    expect(await preferred()).toBe("team-wiki/Tariff 2.md")
  })

  it("fail as a whole when the source refuses, and go on where they were with the next sync", async () => {
    page(1)
    const id = await connect({ credential: "canary-secret" })
    source.onRequest = () => Effect.die("unused")
    const refusing = source.crawler()
    source.crawler = () => ({
      ...refusing,
      changes: () => Effect.fail(new SourceUnauthorized({ message: "The wiki refuses the credential." }))
    })
    expect(await sync(id)).toMatchObject({
      status: "failed",
      failures: [{ externalId: null, reason: "The wiki refuses the credential." }]
    })
    source = new ModelSource({ changes: "feed", deletions: "changes" })
    page(1)
    expect(await sync(id)).toMatchObject({ status: "succeeded", created: 1 })
    expect((await send("GET", "/connectors")).body).toMatchObject({
      items: [{ lastSync: { status: "succeeded" } }]
    })
  })

  it("run one sync at a time; disabling cancels it, and deleting waits for that", async () => {
    page(1)
    const id = await connect()
    const first = await send("POST", `/connectors/${id}/sync`, {})
    const second = await send("POST", `/connectors/${id}/sync`, { mode: "full" })
    expect(second.body).toEqual(first.body)
    expect(await send("DELETE", `/connectors/${id}`)).toMatchObject({
      status: 409,
      body: { error: "conflict" }
    })
    await send("PATCH", `/connectors/${id}`, { enabled: false })
    expect((await send("GET", `/connectors/${id}`)).body).toMatchObject({ syncs: [{ status: "cancelled" }] })
    expect(await send("POST", `/connectors/${id}/sync`, {})).toMatchObject({
      status: 409,
      body: { error: "connector-disabled" }
    })
    await work()
    expect((await documents()).size).toBe(0)
    await send("PATCH", `/connectors/${id}`, { enabled: true })
    expect(await sync(id)).toMatchObject({ created: 1 })
    expect((await send("DELETE", `/connectors/${id}?documents=trash`)).status).toBe(200)
    await work()
    expect((await documents()).size).toBe(0)
  })

  it("stop a running sync at the next item when they are disabled", async () => {
    for (let number = 0; number < 6; number++) page(number)
    const id = await connect()
    await send("POST", `/connectors/${id}/sync`, {})
    let requests = 0
    source.onRequest = (request) =>
      request === "changes" && ++requests === 2
        ? Effect.promise(() => send("PATCH", `/connectors/${id}`, { enabled: false }))
        : Effect.void
    await work()
    expect((await send("GET", `/connectors/${id}`)).body).toMatchObject({
      syncs: [{ status: "cancelled", created: 3 }]
    })
    expect((await documents()).size).toBe(3)
  })

  it("keep the lineage of documents when they are deleted, and show nothing to others", async () => {
    page(1)
    const id = await connect()
    await sync(id)
    const stranger = await server.key(await server.workspace("other"))
    for (const [method, path, body] of [
      ["GET", `/connectors/${id}`, undefined],
      ["PATCH", `/connectors/${id}`, { name: "Mine" }],
      ["POST", `/connectors/${id}/sync`, {}],
      ["DELETE", `/connectors/${id}`, undefined]
    ] as const)
      expect((await send(method, path, body, stranger)).status).toBe(404)
    const reader = await keyWith("data:read")
    expect((await send("POST", `/connectors/${id}/sync`, {}, reader)).status).toBe(403)
    expect((await send("POST", "/connectors", wiki, reader)).status).toBe(403)
    expect((await send("GET", "/connectors", undefined, await keyWith("kb:read"))).status).toBe(403)
    await send("DELETE", `/connectors/${id}`)
    const document = await idAt("team-wiki/Page 1.md")
    expect((await send("GET", `/documents/${document}/lineage`)).body).toMatchObject({
      origin: { kind: "connector", connectorId: id, externalId: "1" }
    })
  })
})
