import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { operations } from "../../../core/operations.js"
import type { Scope } from "../../../core/platform/kernel/index.js"
import { startServer, type TestServer } from "../../support/server.js"

const shop = readFileSync(new URL("../../../demo/chinook/chinook.sql", import.meta.url), "utf8")

let server: TestServer
let key = ""
let workspace: Awaited<ReturnType<TestServer["workspace"]>>
let file = ""
let connectorId = ""
beforeAll(async () => {
  server = await startServer()
  workspace = await server.workspace("shop")
  key = await server.key(workspace)
  file = join(server.folder, "shop.sqlite")
  new Sqlite(file).exec(shop).close()
})
afterAll(() => server.close())

const send = async (method: string, path: string, body?: unknown, as = key) => {
  const answer = await server.call(method, `/api/v1${path}`, {
    key: as,
    ...(body === undefined ? {} : { body })
  })
  return { status: answer.status, body: z.record(z.string(), z.unknown()).parse(answer.body) }
}
const keyWith = (...scopes: ReadonlyArray<Scope>) => server.key(workspace, scopes)

const albums = {
  title: "Albums of an artist",
  sql: "select al.title as album, al.album_id from artist ar join album al on al.artist_id = ar.artist_id where ar.name = :artist order by al.title",
  params: [{ name: "artist", type: "string" }],
  bindings: [{ entityType: "artist", paramMap: { artist: "name" } }]
}
const spending = {
  title: "Spending of a customer",
  sql: "select c.city, round(sum(i.total), 2) as spent_total from customer c join invoice i on i.customer_id = c.customer_id where concat(c.first_name, ' ', c.last_name) = :customer group by c.city",
  params: [{ name: "customer", type: "string" }],
  bindings: [{ entityType: "customer", paramMap: { customer: "name" } }]
}

describe("live data over HTTP", () => {
  it("makes a connector, tries it, and never shows its credential", async () => {
    const made = await send("POST", "/data/connectors", {
      name: "Shop",
      kind: "sqlite",
      settings: { path: file },
      credential: "canary-secret"
    })
    expect(made).toMatchObject({
      status: 201,
      body: { name: "Shop", enabled: true, hasCredential: true, probe: { ok: true, readOnlyProven: true } }
    })
    connectorId = String(made.body["id"])
    expect(
      await send("POST", "/data/connectors", { name: "shop", kind: "sqlite", settings: { path: file } })
    ).toMatchObject({
      status: 409,
      body: { error: "conflict", message: expect.any(String) }
    })
    const list = await send("GET", "/data/connectors", undefined, await keyWith("data:read"))
    expect(list).toMatchObject({ status: 200, body: { total: 1 } })
    const audit = await send("GET", "/audit")
    expect(JSON.stringify([made, list, audit])).not.toContain("canary-secret")
  })

  it("reads files below the named folders only, and no private address that is not allowed", async () => {
    const outside = { name: "Outside", kind: "sqlite", settings: { path: "/etc/passwd" } }
    expect(await send("POST", "/data/connectors", outside)).toMatchObject({
      status: 400,
      body: { error: "invalid_body" }
    })
    const climbing = { ...outside, settings: { path: `${server.folder}/../../etc/passwd` } }
    expect((await send("POST", "/data/connectors", climbing)).status).toBe(400)
    const metadata = { host: "169.254.169.254", database: "d", user: "u" }
    expect(
      (await send("POST", "/data/connectors", { ...outside, kind: "postgres", settings: metadata })).status
    ).toBe(400)
  })

  it("stores a connector that does not answer, disabled", async () => {
    writeFileSync(join(server.folder, "text.sqlite"), "no database")
    const broken = { name: "Broken", kind: "sqlite", settings: { path: join(server.folder, "text.sqlite") } }
    const made = await send("POST", "/data/connectors", broken)
    expect(made).toMatchObject({ status: 201, body: { enabled: false, probe: { ok: false } } })
    const id = String(made.body["id"])
    expect((await send("DELETE", `/data/connectors/${id}`)).body).toEqual({ deleted: true, id })
    expect((await send("DELETE", `/data/connectors/${id}`)).status).toBe(404)
  })

  it("publishes a query, shows a dry run, and refuses what does not only read", async () => {
    const body = { ...albums, connectorId }
    const dry = await send("PUT", "/data/queries/artist-albums", { ...body, dryRun: true })
    expect(dry).toMatchObject({
      status: 200,
      body: { columns: [{ name: "album", table: "album", column: "title" }, {}] }
    })
    expect((await send("GET", "/data/queries/artist-albums")).status).toBe(404)
    expect(await send("PUT", "/data/queries/artist-albums", body)).toMatchObject({
      status: 201,
      body: { revision: 1 }
    })
    expect(await send("PUT", "/data/queries/artist-albums", body)).toMatchObject({
      status: 200,
      body: { revision: 1 }
    })
    expect(
      await send("PUT", "/data/queries/artist-albums", { ...body, description: "x", expectRevision: 1 })
    ).toMatchObject({
      status: 200,
      body: { revision: 2 }
    })
    expect((await send("PUT", "/data/queries/artist-albums", { ...body, expectRevision: 1 })).status).toBe(
      409
    )
    for (const sql of [
      "delete from artist",
      "select 1; select 2",
      "select :nobody",
      "select load_extension('x')",
      "select nothing from artist"
    ])
      expect([sql, await send("PUT", "/data/queries/other", { ...body, bindings: [], sql })]).toMatchObject([
        sql,
        { status: 400, body: { error: "invalid_body" } }
      ])
    expect(await send("PUT", "/data/queries/Bad_Slug", body)).toMatchObject({
      status: 400,
      body: { error: "invalid_params" }
    })
    const unknown = { ...body, connectorId: "con_00000000000000000000000000" }
    expect((await send("PUT", "/data/queries/other", unknown)).status).toBe(404)
    expect(await send("GET", "/data/queries", undefined, await keyWith("data:read"))).toMatchObject({
      body: { total: 1 }
    })
  })

  it("runs a query, by slug and by id, and keeps a record of it", async () => {
    const runner = await keyWith("data:run")
    const run = await send(
      "POST",
      "/data/queries/artist-albums/run",
      { params: { artist: "Audioslave" } },
      runner
    )
    expect(run).toMatchObject({
      status: 200,
      body: { columns: ["album", "album_id"], rowCount: 3, truncated: false }
    })
    const again = await send("POST", `/data/queries/${String(run.body["queryId"])}/run`, {
      params: { artist: "AC/DC" }
    })
    expect(again.body["rowCount"]).toBe(2)
    const path = `/data/calls/${String(run.body["dataCallId"])}`
    const bare = await send("GET", path, undefined, await keyWith("data:read"))
    expect(bare.body).toMatchObject({
      slug: "artist-albums",
      queryRevision: 2,
      outcome: "ok",
      rowCount: 3,
      params: { artist: "Audioslave" }
    })
    expect(bare.body["rows"]).toBe(undefined)
    const whole = await send("GET", path, undefined, await keyWith("data:read", "data:run"))
    expect(whole.body["rows"]).toEqual(run.body["rows"])
  })

  it("records refused executions too, and their errors name the record", async () => {
    const recorded = async (body: Readonly<Record<string, unknown>>, outcome: string) => {
      const found = await send("GET", `/data/calls/${String(body["dataCallId"])}`)
      expect(operations.getDataCall.output.parse(found.body)).toMatchObject({ outcome, resultDigest: null })
    }
    const missing = await send("POST", "/data/queries/artist-albums/run", {})
    expect(missing).toMatchObject({ status: 400, body: { error: "invalid-params" } })
    await recorded(missing.body, "refused")
    expect((await send("POST", "/data/queries/unknown/run", {})).body).toEqual({
      error: "not_found",
      message: expect.any(String)
    })
    await send("PATCH", `/data/connectors/${connectorId}`, { enabled: false })
    const disabled = await send("POST", "/data/queries/artist-albums/run", { params: { artist: "Accept" } })
    expect(disabled).toMatchObject({ status: 409, body: { error: "connector-disabled" } })
    await recorded(disabled.body, "refused")
    await send("PATCH", `/data/connectors/${connectorId}`, { enabled: true, limits: { timeoutMs: 200 } })
    const bomb =
      "with recursive n (i) as (select 1 union all select i + 1 from n) select count(*) as c from n"
    await send("PUT", "/data/queries/bomb", { title: "Bomb", connectorId, sql: bomb })
    const stopped = await send("POST", "/data/queries/bomb/run", {})
    expect(stopped).toMatchObject({ status: 504, body: { error: "query_timeout" } })
    await recorded(stopped.body, "timeout")
    await send("PATCH", `/data/connectors/${connectorId}`, { limits: { timeoutMs: 10_000 } })
  })

  it("answers questions from rows, cites them, and shows where a passage says otherwise", async () => {
    await send("PUT", "/data/queries/customer-spending", { ...spending, connectorId })
    for (const [path, content] of [
      [
        "leonie.md",
        "---\ntitle: Leonie Köhler\ntype: customer\n---\n# Leonie Köhler\n\nLeonie Köhler wants invoices on paper.\n"
      ],
      [
        "helena.md",
        "---\ntitle: Helena Holý\ntype: customer\n---\n# Helena Holý\n\nThe spent total of Helena Holý is 40.\n"
      ],
      ["acdc.md", "---\ntitle: AC/DC\ntype: artist\n---\n# AC/DC\n\nA rock band.\n"]
    ])
      await send("POST", "/documents", { path, content })
    await send("POST", "/jobs", { kind: "reextract", all: true })
    for (const [name, type] of [
      ["Leonie Köhler", "customer"],
      ["Helena Holý", "customer"],
      ["AC/DC", "artist"]
    ])
      await send("POST", "/entities", { name, type })
    const ask = (question: string) => send("POST", "/query", { question, includeData: true })
    const single = await ask("What is the spent total of Leonie Köhler?")
    expect(String(single.body["answer"])).toMatch(/37\.62.*\[D1\]/u)
    expect(single.body["dataCalls"]).toMatchObject([{ id: "D1", connectorName: "Shop", rowCount: 1 }])
    expect(String((await ask("In which city does Leonie Köhler live?")).body["answer"])).toContain(
      "Stuttgart"
    )
    expect(String((await ask("How many albums does AC/DC have?")).body["answer"])).toMatch(/2 \[D1\]/u)
    const list = String((await ask("Which albums of AC/DC are there?")).body["answer"])
    expect(list).toContain("Let There Be Rock")
    const conflict = await ask("What is the spent total of Helena Holý?")
    expect(String(conflict.body["answer"])).toContain("49.62")
    const policy = z.object({
      conflicts: z.array(z.object({ sides: z.array(z.object({ sourceId: z.string() })) }))
    })
    const sides = policy
      .parse(conflict.body["policy"])
      .conflicts.flatMap((one) => one.sides.map(({ sourceId }) => sourceId))
    expect(sides).toContain("D1")
    const [first] = z.array(z.object({ dataCallId: z.string() })).parse(conflict.body["dataCalls"])
    expect((await send("GET", `/data/calls/${first?.dataCallId}`)).body["answerId"]).toMatch(/^ans_/u)
  })

  it("answers without the rows of a database that is away, and says so", async () => {
    await send("PATCH", `/data/connectors/${connectorId}`, { enabled: false })
    const { body, status } = await send("POST", "/query", {
      question: "How does Leonie Köhler want her invoices?",
      includeData: true
    })
    expect([status, body["dataCalls"]]).toEqual([200, []])
    expect(JSON.stringify(body["policy"])).toContain("data_unavailable")
  })
})
