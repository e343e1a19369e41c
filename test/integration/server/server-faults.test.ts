import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { removeMember } from "../../../core/platform/identity/index.js"
import type { UserId, WorkspaceId } from "../../../core/platform/kernel/index.js"
import { scopes } from "../../../core/platform/kernel/index.js"
import { startServer, type TestServer } from "../../support/server.js"

/** A chat model that answers with NUL and lone surrogates, and counts tokens as nobody can. */
const usage = { inputTokens: 2 ** 53 + 2, outputTokens: 0.5, costUsd: "-1e400", estimated: false }
const chat = {
  modelId: "test/impossible",
  generate: () =>
    Effect.succeed({
      text: '{"answerable":true,"missing":null,"answer":"It is \\u0000 shut\\ud800. [S1]","claims":[{"text":"The valve is shut.","citations":["S1"]}]}',
      modelId: "test/impossible",
      finishReason: "stop" as const,
      usage
    })
}

let server: TestServer
let home: WorkspaceId
let key = ""
beforeAll(async () => {
  server = await startServer({ models: { chat } })
  home = await server.workspace("Faults")
  key = await server.key(home)
})
afterAll(() => server.close())

const call = (method: string, path: string, body?: unknown, by = key) =>
  server.call(method, `/api/v1${path}`, { key: by, ...(body === undefined ? {} : { body }) })

describe("a body", () => {
  const timed = async (text: string) => {
    const before = process.cpuUsage()
    const { body, status } = await call("POST", "/query", text)
    return { body, status, ms: process.cpuUsage(before).user / 1000 }
  }

  it("of too many values or levels is refused before it is parsed", async () => {
    await timed("{}")
    for (const text of [
      `{"question":${"[".repeat(9_900_000)}`,
      `{"question":[${"{},".repeat(3_000_000)}{}]}`,
      `{${Array.from({ length: 700_000 }, (_, place) => `"k${place}":1`).join(",")}}`
    ]) {
      const { body, ms, status } = await timed(text)
      expect([status, body]).toMatchObject([400, { error: "invalid_body" }])
      expect(ms).toBeLessThan(1000)
    }
  })

  it("that is wrong in many places is answered with some of them", async () => {
    const scopes = Array.from({ length: 50_000 }, (_, place) => place)
    const { body, status } = await call("POST", "/keys", { name: "many", scopes })
    expect(status).toBe(400)
    expect(z.object({ issues: z.array(z.unknown()) }).parse(body).issues.length).toBeLessThanOrEqual(100)
    expect(JSON.stringify(body).length).toBeLessThan(100_000)
  })
})

describe("text of many marks", () => {
  it("holds up nobody, in a document, a question and a vocabulary", async () => {
    const marks = `a${"\u0301\u0316".repeat(80_000)}`
    const before = process.cpuUsage()
    const made = await call("POST", "/documents", {
      path: "marks.md",
      content: `# Marks\n\n${marks} [[${marks}]]\n`
    })
    expect(made.status).toBe(201)
    expect((await call("POST", "/query", { question: marks.slice(0, 4000) })).status).toBe(200)
    const document = {
      "@context": { "@vocab": "http://www.w3.org/2004/02/skos/core#" },
      "@id": "https://example.org/marks",
      "@type": "Concept",
      prefLabel: marks,
      altLabel: [marks, `${marks}b`]
    }
    expect((await call("POST", "/import/skos", { document, dryRun: true })).status).toBeLessThan(300)
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(10_000)
  })
})

describe("what a model returns", () => {
  it("can be stored and read again, whatever it is", async () => {
    await call("POST", "/documents", { path: "valve.md", content: "# Valve\n\nThe valve is shut.\n" })
    for (let time = 0; time < 3; time++) {
      const { body, status } = await call("POST", "/query", { question: "Is the valve shut?" })
      expect(status).toBe(200)
      expect(JSON.stringify(body)).not.toMatch(/\\u0000|\\ud800/)
    }
    const Usage = z.object({
      usage: z.object({ inputTokens: z.int().min(0), outputTokens: z.int().min(0), costUsd: z.string() })
    })
    const { body, status } = await call("GET", "/workspace")
    expect(status).toBe(200)
    expect(Usage.parse(body).usage.costUsd).toBe("0")
    expect((await call("GET", "/policy/decisions")).status).toBe(200)
  })
})

describe("creates without a path", () => {
  it("get a path of their own each, however many come at the same moment", async () => {
    const made = await Promise.all(
      Array.from({ length: 40 }, () => call("POST", "/documents", { title: "Same title" }))
    )
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201))
    const paths = made.map(({ body }) => z.object({ path: z.string() }).parse(body).path)
    expect(new Set(paths).size).toBe(made.length)
    for (const path of paths) expect(path).toMatch(/^same-title(-\d+)?\.md$/)
  })

  it("are refused a path that is not in normal form C", async () => {
    const { body, status } = await call("POST", "/documents", { path: "Cafe\u0301.md", content: "Text" })
    expect([status, body]).toMatchObject([400, { issues: [{ path: ["path"], code: "path_not_normalized" }] }])
  })
})

describe("a parameter out of bounds", () => {
  it.each([
    ["GET", "/entities/ent_00000000000000000000000000/neighborhood?depth=99", "invalid-params"],
    ["GET", "/entities/nobody/neighborhood?depth=99", "invalid-params"],
    ["GET", "/entities/nobody/revisions?limit=201", "invalid_params"],
    ["POST", "/entities/nobody/authority", "invalid_body"],
    ["POST", "/documents/nobody/move", "invalid_body"]
  ])("is told before it is looked whether there is such a thing: %s %s", async (method, path, error) => {
    const { body, status } = await call(method, path, method === "POST" ? {} : undefined)
    expect([status, body]).toMatchObject([400, { error }])
  })

  it("is not needed to tell that there is none", async () => {
    expect((await call("GET", "/entities/nobody/neighborhood?depth=1")).status).toBe(404)
    expect((await call("POST", "/documents/nobody/move", { path: "a.md" })).status).toBe(404)
  })
})

describe("a key", () => {
  const Minted = z.object({ id: z.string(), key: z.string(), expiresAt: z.string().nullable() })
  const mint = async (by: string, body: object) => {
    const { body: made, status } = await call("POST", "/keys", { name: "made", ...body }, by)
    return status === 201 ? Minted.parse(made) : status
  }
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

  /** A workspace with one key, and its id. */
  const own = async (expiresAt?: string) => {
    const workspace = await server.workspace("Keys")
    const admin = await server.key(workspace, scopes, expiresAt)
    const { body } = await call("GET", "/keys", undefined, admin)
    const [first] = z.object({ items: z.array(z.object({ id: z.string() })) }).parse(body).items
    return { workspace, admin, id: first?.id ?? "" }
  }
  const revoke = async (by: string, id: string) => (await call("DELETE", `/keys/${id}`, undefined, by)).status

  it("is not lost as the last one of an administrator, by rotation, expiry or revocation", async () => {
    const { admin, id } = await own()
    expect(await revoke(admin, id)).toBe(409)
    expect(await mint(admin, { scopes: ["kb:read"], replaces: id })).toBe(409)
    expect(await mint(admin, { scopes: ["kb:read"], replaces: id, graceSeconds: 3600 })).toBe(409)
    expect(await mint(admin, { scopes: ["workspace:admin"], replaces: id, expiresAt: inDays(30) })).toBe(409)
    // One that expires is none that stays.
    const passing = Minted.parse(await mint(admin, { scopes: ["workspace:admin"], expiresAt: inDays(30) }))
    expect(await revoke(admin, id)).toBe(409)
    expect(await revoke(admin, passing.id)).toBe(200)
    const staying = Minted.parse(await mint(admin, { scopes: ["workspace:admin"] }))
    expect(await revoke(staying.key, id)).toBe(200)
    expect(await revoke(staying.key, staying.id)).toBe(409)
    const rotated = Minted.parse(
      await mint(staying.key, { scopes: ["workspace:admin"], replaces: staying.id })
    )
    expect((await call("GET", "/keys", undefined, rotated.key)).status).toBe(200)
  })

  it("is not lost when two administrators revoke each other at once", async () => {
    const { admin, id } = await own()
    const other = Minted.parse(await mint(admin, { scopes: ["workspace:admin"] }))
    const statuses = await Promise.all([revoke(admin, other.id), revoke(other.key, id)])
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  })

  it("ends no later than the one that made it", async () => {
    const end = inDays(10)
    const { admin } = await own(end)
    const until = async (body: object) =>
      z.union([Minted, z.int()]).parse(await mint(admin, { scopes: ["kb:read"], ...body }))
    expect(await until({})).toMatchObject({ expiresAt: end })
    expect(await until({ expiresAt: inDays(99) })).toMatchObject({ expiresAt: end })
    const sooner = inDays(5)
    expect(await until({ expiresAt: sooner })).toMatchObject({ expiresAt: sooner })
  })

  it("ends with the membership of the user whose key made it, and so do those that it makes", async () => {
    const workspace = await server.workspace("Membership")
    const user: UserId = await server.user("Ada", [workspace], "admin")
    const first = await server.userKey(user, [workspace])
    const second = Minted.parse(await mint(first, { scopes: ["workspace:admin", "kb:read"] }))
    const third = Minted.parse(await mint(second.key, { scopes: ["kb:read"] }))
    expect((await call("GET", "/documents", undefined, third.key)).status).toBe(200)
    await server.as(workspace, removeMember(user))
    for (const one of [first, second.key, third.key])
      expect((await call("GET", "/documents", undefined, one)).status).toBe(403)
  })
})
