import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { operations } from "../../../core/operations.js"
import { scopes, type WorkspaceId } from "../../../core/platform/kernel/index.js"
import { catalog } from "../../../server/catalog/index.js"
import { parametersOf, type Row } from "../../../server/catalog/row.js"
import { startServer, type TestServer } from "../../support/server.js"

const Contract = z.array(
  z.object({
    operationId: z.string(),
    method: z.string(),
    path: z.string(),
    scopes: z.array(z.enum(scopes)),
    part: z.string(),
    tool: z.string().nullable()
  })
)
const contract = Contract.parse(
  JSON.parse(readFileSync(new URL("../../fixtures/operations.json", import.meta.url), "utf8"))
)

/** Operations of the embedded engine that the contract has no path for. */
const embeddedOnly = [
  "acceptQrels",
  "addToGroup",
  "approveProposal",
  "cancelEval",
  "claimsToLabel",
  "compileTopic",
  "findContradictions",
  "getDocumentAccess",
  "getDocumentByPath",
  "getProposal",
  "judgeAgreement",
  "labelClaims",
  "listContradictions",
  "listDataCalls",
  "listDuplicates",
  "listGroups",
  "listProposals",
  "listStewardship",
  "poolQrels",
  "proposeDocument",
  "proposeQrels",
  "rejectProposal",
  "removeFromGroup",
  "restoreDocument",
  "restoreRevision",
  "setDocumentAccess",
  "settleContradiction",
  "withdrawProposal"
]

let server: TestServer
let home: WorkspaceId
beforeAll(async () => {
  server = await startServer()
  home = await server.workspace("home")
})
afterAll(() => server.close())

/** A request of the right form to a row, with ids that nothing has. */
const request = ({ method, operation, path }: Row) => {
  const filled = parametersOf(path).reduce(
    (text, name) => text.replace(`{${name}}`, idFor(operation.name, path)),
    path
  )
  return {
    method,
    path: filled,
    ...(method === "GET" || method === "DELETE" ? {} : { body: bodies[operation.name] ?? {} })
  }
}

const unknownId = "00000000000000000000000000"
const idFor = (name: string, path: string): string => {
  const kinds = {
    documents: "doc",
    connectors: "con",
    calls: "dcl",
    entities: "ent",
    relations: "rel",
    keys: "key",
    chunks: "chk",
    trash: "doc",
    evals: "evl",
    reports: "rep"
  }
  const prefix = Object.entries(kinds).find(([folder]) => path.includes(`/${folder}/`))?.[1]
  return `${prefix ?? name}_${unknownId}`
}

const bodies: Readonly<Record<string, unknown>> = {
  query: { question: "What is it?" },
  checkGrounding: { text: "It is so." },
  replaceDocument: { content: "text" },
  moveDocument: { path: "moved.md" },
  verifyDocument: { verification: "verified" },
  createEntity: { name: "A name", type: "thing" },
  updateEntity: { name: "Another name" },
  mergeEntity: { intoId: `ent_${unknownId}` },
  createRelation: { srcEntityId: `ent_${unknownId}`, dstEntityId: `ent_${unknownId}`, type: "is" },
  importSkos: { document: {} },
  mintKey: { name: "another", scopes: ["workspace:admin"] },
  startJob: { kind: "retry", all: true },
  createReport: { title: "A report" },
  startEval: { name: "A run", suite: "retrieval", set: "a-set" },
  putQrels: { judgments: [{ set: "a-set", queryId: "q1", query: "What is it?", expectAbstain: true }] }
}

describe("the catalog and the contract", () => {
  it.each(catalog.map((row) => [row.operation.name, row] as const))("agree on %s", (name, row) => {
    const promised = contract.find(({ operationId }) => operationId === name)
    expect({
      operationId: name,
      method: row.method,
      path: row.path,
      scopes: [...row.operation.scopes],
      tool: row.tool?.name ?? null
    }).toEqual({
      operationId: promised?.operationId,
      method: promised?.method,
      path: promised?.path,
      scopes: promised?.scopes,
      tool: promised?.tool
    })
  })

  it("hold every operation of the engine, or name it as embedded only", () => {
    const onWire = catalog.map(({ operation }) => operation.name)
    // The rooms export the shapes of their results beside the operations.
    const known = Object.values(operations).flatMap((one) => ("run" in one ? [one.name] : []))
    expect(known.filter((name) => !onWire.includes(name)).sort()).toEqual(embeddedOnly)
  })

  it("are what the served document says", async () => {
    const { body, headers, status } = await server.call("GET", "/api/v1/openapi.json")
    expect(status).toBe(200)
    expect(headers.get("cache-control")).toBe("public, max-age=300")
    const served = z
      .object({
        openapi: z.literal("3.1.0"),
        info: z.object({ version: z.literal("1.0.0") }),
        servers: z.tuple([z.object({ url: z.literal("/") })]),
        paths: z.record(
          z.string(),
          z.record(
            z.string(),
            z.object({ operationId: z.string(), "x-scopes": z.array(z.string()).optional() })
          )
        )
      })
      .parse(body)
    const shown = Object.entries(served.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, one]) =>
          `${method.toUpperCase()} ${path} ${one.operationId} ${one["x-scopes"]?.join(" or ") ?? ""}`
      )
    )
    const wanted = contract
      .filter(
        ({ operationId }) =>
          operationId === "getOpenApi" || catalog.some((row) => row.operation.name === operationId)
      )
      .map((row) => `${row.method} ${row.path} ${row.operationId} ${row.scopes.join(" or ")}`)
    expect(shown.sort()).toEqual(wanted.sort())
  })

  it("answers 304 to who has the document already", async () => {
    const { headers } = await server.call("GET", "/api/v1/openapi.json")
    const again = await server.call("GET", "/api/v1/openapi.json", {
      headers: { "if-none-match": headers.get("etag") ?? "" }
    })
    expect([again.status, again.body]).toEqual([304, null])
  })
})

describe("the scope matrix", () => {
  it.each(catalog.map((row) => [row.operation.name, row] as const))(
    "lets to %s whoever has its scope, and nobody else",
    async (name, row) => {
      const { method, path, ...rest } = request(row)
      for (const scope of scopes) {
        const key = await server.key(home, [scope])
        const { body, status } = await server.call(method, path, { key, ...rest })
        if (row.operation.scopes.includes(scope))
          expect([name, scope, status]).not.toEqual([name, scope, 403])
        else
          expect([name, scope, status, body]).toEqual([
            name,
            scope,
            403,
            expect.objectContaining({ error: "insufficient_scope" })
          ])
      }
    }
  )

  it.each(catalog.map((row) => [row.operation.name, row] as const))(
    "answers %s without a good key 401",
    async (_name, row) => {
      const { method, path, ...rest } = request(row)
      const good = await server.key(home)
      const bad = [null, "svc_sk_nonsense", `${good.slice(0, -1)}${good.endsWith("x") ? "y" : "x"}`]
      for (const key of bad) {
        const { body, headers, status } = await server.call(method, path, { key, ...rest })
        expect([status, body]).toEqual([401, expect.objectContaining({ error: "unauthorized" })])
        expect(headers.get("www-authenticate")).toContain("Bearer")
      }
    }
  )

  it("gives keys from before scopes what they always had", async () => {
    const key = await server.key(home, [])
    const statusOf = async (method: string, path: string, body?: unknown) =>
      (await server.call(method, path, { key, ...(body === undefined ? {} : { body }) })).status
    expect(await statusOf("POST", "/api/v1/query", { question: "What is it?" })).toBe(200)
    expect(await statusOf("GET", "/api/v1/manifest")).toBe(200)
    expect(await statusOf("GET", "/api/v1/documents")).toBe(403)
  })
})

describe("what an operation does not declare", () => {
  const nearestOf = (body: unknown) =>
    z
      .object({ error: z.string(), message: z.string(), issues: z.array(z.object({ message: z.string() })) })
      .transform(({ error, issues }) => [error, ...issues.map(({ message }) => message)])
      .parse(body)

  it.each(catalog.map((row) => [row.operation.name, row] as const))(
    "is refused by %s, in the query and in the body",
    async (_name, row) => {
      const key = await server.key(home)
      const { method, path, ...rest } = request(row)
      const query = await server.call(method, `${path}?bogus=1`, { key, ...rest })
      expect([query.status, nearestOf(query.body)]).toEqual([
        400,
        ["invalid_params", expect.stringContaining("There is no parameter bogus.")]
      ])
      if (rest.body === undefined) return
      const fields = { ...z.looseObject({}).parse(rest.body), bogus: 1 }
      const body = await server.call(method, path, { key, body: fields })
      expect([body.status, nearestOf(body.body)]).toEqual([
        400,
        expect.arrayContaining(["invalid_body", expect.stringContaining("There is no field bogus.")])
      ])
    }
  )

  it.each([
    ["POST", "/query", { question: "Who?", maxSource: 3 }, "invalid_body", "Did you mean maxSources?"],
    ["POST", "/query", { question: "Who?", includData: true }, "invalid_body", "Did you mean includeData?"],
    ["POST", "/query?maxSources=3", { question: "Who?" }, "invalid_params", "it is a field of the body"],
    ["GET", "/documents?limits=1", undefined, "invalid_params", "Did you mean limit?"],
    ["GET", "/entities?limits=1", undefined, "invalid_params", "Did you mean limit?"],
    [
      "GET",
      `/entities/ent_${unknownId}/neighborhood?dept=1`,
      undefined,
      "invalid_params",
      "Did you mean depth?"
    ],
    ["GET", "/openapi.json?x=1", undefined, "invalid_params", "There is no parameter x."],
    ["POST", `/entities/ent_${unknownId}/review`, { note: "x" }, "invalid_body", "There is no field note."],
    [
      "POST",
      "/agents/researcher/runs",
      { input: "x", stream: "inline" },
      "invalid_body",
      "it is a query parameter"
    ],
    [
      "POST",
      "/agents/researcher/runs",
      { input: "x", slug: "y" },
      "invalid_body",
      "it is a part of the path"
    ],
    [
      "POST",
      "/change-requests",
      { kind: "create", payload: { name: "A", type: "B", alias: [] } },
      "invalid_body",
      "Did you mean aliases?"
    ],
    [
      "PUT",
      "/qrels",
      { judgments: [{ set: "s", queryId: "q", querry: "x" }] },
      "invalid_body",
      "Did you mean query?"
    ]
  ])("is refused by %s %s with the nearest name", async (method, path, body, error, hint) => {
    const key = await server.key(home)
    const answered = await server.call(method, `/api/v1${path}`, {
      key,
      ...(body === undefined ? {} : { body })
    })
    expect([answered.status, nearestOf(answered.body)]).toEqual([
      400,
      expect.arrayContaining([error, expect.stringContaining(hint)])
    ])
  })

  it("does not include an empty body, a text that is no JSON where no body is read, and undefined in process", async () => {
    const key = await server.key(home)
    const path = `/api/v1/entities/ent_${unknownId}/review`
    expect((await server.call("POST", path, { key, body: {} })).status).toBe(404)
    const text = { key, body: "note=x", headers: { "content-type": "application/x-www-form-urlencoded" } }
    expect((await server.call("POST", path, text)).status).toBe(404)
  })
})

describe("the address that the document names", () => {
  const servedAt = async (url: string) => {
    const response = await server.fetch(new Request(`${url}/api/v1/openapi.json`))
    return z.object({ servers: z.array(z.object({ url: z.string() })) }).parse(await response.json()).servers
  }

  it("is that of the request on loopback, and never another Host", async () => {
    expect(await servedAt("http://127.0.0.1:8080")).toEqual([{ url: "http://127.0.0.1:8080" }])
    expect(await servedAt("http://[::1]:8080")).toEqual([{ url: "http://[::1]:8080" }])
    expect(await servedAt("http://localhost:3000")).toEqual([{ url: "http://localhost:3000" }])
    for (const host of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.5:8080"])
      expect(await servedAt(`http://${host}`)).toEqual([{ url: "/" }])
  })
})

describe("workspaces and keys", () => {
  it("let a user key act where its owner is a member, at this moment", async () => {
    const [one, two, other] = [
      await server.workspace("one"),
      await server.workspace("two"),
      await server.workspace("other")
    ]
    const user = await server.user("Ada", [one, two])
    const outcome = async (key: string, header?: string) => {
      const { body, status } = await server.call("GET", "/api/v1/manifest", {
        key,
        ...(header === undefined ? {} : { headers: { "x-workspace-id": header } })
      })
      const seen = z
        .object({ error: z.string() })
        .or(z.object({ workspace: z.object({ id: z.string() }) }))
        .parse(body)
      return [status, "error" in seen ? seen.error : seen.workspace.id]
    }
    const single = await server.userKey(user, [one])
    expect(await outcome(single)).toEqual([200, one])
    expect(await outcome(single, two)).toEqual([403, "workspace_forbidden"])
    const both = await server.userKey(user, [one, two])
    expect(await outcome(both)).toEqual([400, "workspace_required"])
    expect(await outcome(both, two)).toEqual([200, two])
    const all = await server.userKey(user, "all")
    expect(await outcome(all)).toEqual([400, "workspace_required"])
    expect(await outcome(all, one)).toEqual([200, one])
    expect(await outcome(all, other)).toEqual([403, "workspace_forbidden"])
    expect(await outcome(all, "nonsense")).toEqual([403, "workspace_forbidden"])
    await server.as(two, (await import("../../../core/platform/identity/index.js")).removeMember(user))
    expect(await outcome(both, two)).toEqual([403, "workspace_forbidden"])
    expect(await outcome(both, one)).toEqual([200, one])
    const workspaceKey = await server.key(one)
    expect(await outcome(workspaceKey, one)).toEqual([200, one])
    expect(await outcome(workspaceKey, two)).toEqual([403, "workspace_forbidden"])
  })

  it("mint, rotate and revoke, within the rights of who asks", async () => {
    const own = await server.workspace("keys")
    const admin = await server.key(own, ["workspace:admin", "kb:read"])
    const mint = (body: unknown) => server.call("POST", "/api/v1/keys", { key: admin, body })
    const Minted = z.object({ id: z.string(), key: z.string() })
    expect((await mint({ name: "more", scopes: ["kb:write"] })).status).toBe(403)
    expect((await mint({ name: "none", scopes: [] })).status).toBe(400)
    expect(
      (await mint({ name: "past", scopes: ["kb:read"], expiresAt: "2001-01-01T00:00:00.000Z" })).status
    ).toBe(400)
    const till = { name: "till", scopes: ["kb:read"], expiresAt: "2999-01-01T01:00:00+02:00" }
    const ending = await mint(till)
    expect([ending.status, ending.body]).toEqual([
      201,
      expect.objectContaining({ expiresAt: "2998-12-31T23:00:00.000Z" })
    ])
    await server.call("DELETE", `/api/v1/keys/${Minted.parse(ending.body).id}`, { key: admin })
    const first = Minted.parse((await mint({ name: "first", scopes: ["kb:read"] })).body)
    const works = async (key: string) => (await server.call("GET", "/api/v1/documents", { key })).status
    expect(await works(first.key)).toBe(200)
    const second = await mint({ name: "second", scopes: ["kb:read"], replaces: first.id, graceSeconds: 60 })
    expect(second.status).toBe(201)
    expect(await works(first.key)).toBe(200)
    expect((await mint({ name: "third", scopes: ["kb:read"], replaces: first.id })).status).toBe(409)
    const { id, key } = Minted.parse(second.body)
    expect((await server.call("DELETE", `/api/v1/keys/${id}`, { key: admin })).status).toBe(200)
    expect(await works(key)).toBe(401)
    const { body } = await server.call("GET", "/api/v1/keys?state=active", { key: admin })
    const { items } = z.object({ items: z.array(z.object({ id: z.string(), name: z.string() })) }).parse(body)
    expect(items.map(({ name }) => name).sort()).toEqual(["first", "test"])
    const last = items.find(({ name }) => name === "test")?.id
    expect((await server.call("DELETE", `/api/v1/keys/${last}`, { key: admin })).status).toBe(409)
    const elsewhere = await server.key(home)
    expect((await server.call("DELETE", `/api/v1/keys/${last}`, { key: elsewhere })).status).toBe(404)
    expect(JSON.stringify(body)).not.toContain(admin)
  })

  it("clamp the pages of lists, where the contract does not say otherwise", async () => {
    const own = await server.workspace("pages")
    const key = await server.key(own)
    const made = await server.call("POST", "/api/v1/documents", { key, body: { title: "One" } })
    const { docId } = z.object({ docId: z.string() }).parse(made.body)
    const lists = ["documents", "policy/decisions", "relations", "trash", "members", "jobs", "audit"]
    for (const path of [...lists, `mentions?docId=${docId}`, `documents/${docId}/versions`])
      for (const limit of [0, 201]) {
        const query = `${path.includes("?") ? "&" : "?"}limit=${limit}`
        expect([path, (await server.call("GET", `/api/v1/${path}${query}`, { key })).status]).toEqual([
          path,
          200
        ])
      }
  })

  it("say what is expected where an id or a moment is none", async () => {
    const key = await server.key(home)
    const told = async (method: string, path: string, body?: unknown) => {
      const answer = await server.call(method, `/api/v1/${path}`, {
        key,
        ...(body === undefined ? {} : { body })
      })
      expect(answer.status).toBe(400)
      return z.object({ message: z.string() }).parse(answer.body).message
    }
    expect(await told("GET", "policy/decisions?from=soon")).toContain(
      "2026-01-31T09:30:00Z) or a day (2026-01-31)"
    )
    expect(await told("GET", "policy/decisions?docId=1")).toContain("begins with doc_")
    expect(await told("POST", "import/skos", { document: 5 })).toMatch(/expected .* Or: .*expected /)
  })

  it("end a key at its time", async () => {
    // A key has to last until it has been used once, however busy the machine is.
    const status = async (key: string) => (await server.call("GET", "/api/v1/documents", { key })).status
    const used = async (lastsMs: number): Promise<string> => {
      const soon = new Date(Date.now() + lastsMs).toISOString()
      const key = await server.key(home, ["kb:read"], soon)
      return (await status(key)) === 200 ? key : used(lastsMs * 2)
    }
    const key = await used(1000)
    await expect.poll(() => status(key)).toBe(401)
  })
})
