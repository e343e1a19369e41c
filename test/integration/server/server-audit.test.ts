import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { AuditEvent, chainStart, verifyAudit } from "../../../core/platform/audit/index.js"
import { canonicalJson, Ids, type WorkspaceId } from "../../../core/platform/kernel/index.js"
import { createClient } from "../../../server/client/index.js"
import { temporaryFolder } from "../../support/folders.js"
import { startServer, type TestServer } from "../../support/server.js"

const Page = z.object({
  items: z.array(AuditEvent),
  total: z.int(),
  nextCursor: z.string().nullable(),
  chain: z.object({ head: z.string(), verified: z.boolean() })
})

let server: TestServer
let workspace: WorkspaceId
let key: string
beforeAll(async () => {
  server = await startServer()
  workspace = await server.workspace("audited")
  key = await server.key(workspace)
  for (const name of ["Ada", "Grace", "Borealis"])
    await server.call("POST", "/api/v1/entities", { key, body: { name, type: "thing" } })
})
afterAll(() => server.close())

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  server.fetch(
    new Request(`http://kanon.test${path}`, { headers: { authorization: `Bearer ${key}`, ...headers } })
  )
const page = async (query: string) => Page.parse(await (await get(`/api/v1/audit?${query}`)).json())
const lines = async (query: string) => {
  const response = await get(`/api/v1/audit?format=ndjson&${query}`)
  const text = await response.text()
  expect(text.endsWith("\n") || text === "").toBe(true)
  return {
    response,
    events: z.array(AuditEvent).parse(
      text
        .trimEnd()
        .split("\n")
        .flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))
    )
  }
}

describe("GET /api/v1/audit", () => {
  it("tells the request that brought an event", async () => {
    const body = JSON.stringify({ name: "Hopper", type: "thing" })
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "x-request-id": "req-77"
    }
    const made = await server.fetch(
      new Request("http://kanon.test/api/v1/entities", { method: "POST", headers, body })
    )
    expect(made.headers.get("x-request-id")).toBe("req-77")
    const { items } = await page("limit=1")
    expect(items).toMatchObject([{ action: "entity.create", activity: "api", requestId: "req-77" }])
  })

  it("gives pages newest first, each behind the cursor of the one before", async () => {
    const whole = await page("limit=200")
    expect(whole.items).toHaveLength(whole.total)
    expect(whole).toMatchObject({ nextCursor: null, chain: { verified: true, head: whole.items[0]?.hash } })
    const walked: Array<unknown> = []
    for (let cursor: string | null = ""; cursor !== null; ) {
      const one: z.infer<typeof Page> = await page(`limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`)
      expect(one.total).toBe(whole.total)
      walked.push(...one.items)
      cursor = one.nextCursor
    }
    expect(walked).toEqual(whole.items)
    const client = createClient({
      baseUrl: "http://kanon.test",
      key,
      fetch: (url, init) => server.fetch(new Request(url, init))
    })
    const listed: Array<unknown> = []
    for await (const event of client.each.listAuditEvents({ limit: 2 })) listed.push(event)
    expect(listed).toEqual(whole.items)
  })

  it("answers in lines to a request that accepts them rather than JSON, unless its query says otherwise", async () => {
    const typeOf = async (query: string, accept: string) =>
      (await get(`/api/v1/audit${query}`, { accept })).headers.get("content-type")?.split(";")[0]
    expect(await typeOf("", "application/x-ndjson")).toBe("application/x-ndjson")
    expect(await typeOf("", "application/x-ndjson, application/json;q=0.5")).toBe("application/x-ndjson")
    for (const accept of ["*/*", "application/json", "application/x-ndjson;q=0.1, application/json"])
      expect(await typeOf("", accept)).toBe("application/json")
    expect(await typeOf("?format=json", "application/x-ndjson")).toBe("application/json")
    expect(await typeOf("?format=ndjson", "application/json")).toBe("application/x-ndjson")
  })

  it("streams the chain as lines, oldest first, which anybody can check", async () => {
    const { events, response } = await lines("")
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("application/x-ndjson")
    expect(response.headers.get("x-request-id")).toMatch(/.+/)
    const { chain, items } = await page("limit=200")
    expect(events).toEqual(items.reverse())
    const { sha256 } = await server.as(workspace, Ids)
    let before = chainStart(workspace, sha256).hash
    for (const { hash, ...event } of events) {
      expect(event.prevHash).toBe(before)
      expect(sha256(canonicalJson(event))).toBe(hash)
      before = hash
    }
    expect(before).toBe(chain.head)
    const [second] = events.slice(1, 2)
    expect((await lines(`cursor=${second?.id}`)).events).toEqual(events.slice(2))
    expect((await lines("limit=2")).events).toEqual(events.slice(0, 2))
    expect((await lines("action=none")).events).toEqual([])
  })

  it("is checked by the program that the documentation shows", async () => {
    const folder = temporaryFolder("audit")
    const run = (text: string) => {
      const file = join(folder, "audit.ndjson")
      writeFileSync(file, text)
      return spawnSync(process.execPath, ["examples/check-audit.mjs", file, workspace], {
        encoding: "utf8"
      })
    }
    const text = await (await get("/api/v1/audit?format=ndjson")).text()
    expect(run(text).stdout).toBe(`whole, head ${(await page("limit=1")).chain.head}\n`)
    expect(run(text.replace('"Grace"', '"Grete"')).stderr).toContain("broken at aud_")
  })

  it("refuses in JSON, in either form", async () => {
    for (const query of ["cursor=aud_00000000000000000000000000", "from=yesterday", "cursor=x"])
      for (const format of ["json", "ndjson"]) {
        const response = await get(`/api/v1/audit?format=${format}&${query}`)
        expect([query, response.status, await response.json()]).toMatchObject([
          query,
          400,
          { error: "invalid_params" }
        ])
      }
  })

  it("is for keys of administrators alone", async () => {
    const poor = await server.key(workspace, ["kb:read", "kb:write"])
    for (const format of ["json", "ndjson"]) {
      const response = await get(`/api/v1/audit?format=${format}`, { authorization: `Bearer ${poor}` })
      expect([response.status, await response.json()]).toMatchObject([403, { error: "insufficient_scope" }])
    }
  })

  it("belongs to a chain that verifies", async () => {
    expect(await server.as(workspace, Effect.orDie(verifyAudit()))).toMatchObject({ ok: true })
  })
})
