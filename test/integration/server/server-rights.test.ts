import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { operations } from "../../../core/operations.js"
import { mintAsHost } from "../../../core/platform/identity/index.js"
import { scopes, type WorkspaceId } from "../../../core/platform/kernel/index.js"
import { startServer, type TestServer } from "../../support/server.js"

const Documents = z.object({ items: z.array(z.object({ path: z.string() })) })

describe("rights over HTTP", () => {
  let server: TestServer
  let home: WorkspaceId
  const keys: Record<"open" | "hr" | "all", string> = { open: "", hr: "", all: "" }
  let secretId = ""
  const mint = (access: "all" | ReadonlyArray<string>) =>
    server.as(
      home,
      Effect.map(
        mintAsHost({
          name: "k",
          scopes,
          expiresAt: null,
          access,
          owner: { kind: "workspace", workspace: home }
        }),
        ({ secret }) => secret
      )
    )
  const paths = async (key: string) =>
    Documents.parse((await server.call("GET", "/api/v1/documents", { key })).body).items.map(
      ({ path }) => path
    )

  beforeAll(async () => {
    server = await startServer()
    home = await server.workspace("home")
    keys.all = await mint("all")
    keys.open = await mint([])
    keys.hr = await mint(["hr"])
    for (const [path, content] of [
      ["handbook.md", "# Handbook\n\nThe office opens at nine.\n"],
      ["hr/salaries.md", "# Salaries\n\nThe salary of Greta Vogel is 91,000 euros.\n"]
    ]) {
      const made = await server.call("POST", "/api/v1/documents", { key: keys.all, body: { path, content } })
      expect(made.status).toBe(201)
      secretId = z.object({ docId: z.string() }).parse(made.body).docId
    }
    const changed = await server.call("PATCH", "/api/v1/workspace", {
      key: keys.all,
      body: { access: { folders: [{ path: "hr/**", read: ["group:hr"] }] } }
    })
    expect(changed.status).toBe(200)
  })
  afterAll(() => server.close())

  it("gives a workspace key what is open and what it was made for", async () => {
    expect(await paths(keys.open)).toEqual(["handbook.md"])
    expect(await paths(keys.hr)).toEqual(["handbook.md", "hr/salaries.md"])
    expect(await paths(keys.all)).toEqual(["handbook.md", "hr/salaries.md"])
  })

  it("answers a hidden document like one that does not exist", async () => {
    const unknown = "doc_00000000000000000000000000"
    for (const [method, path, body] of [
      ["GET", "/api/v1/documents/ID", undefined],
      ["PATCH", "/api/v1/documents/ID", { content: "taken over" }],
      ["DELETE", "/api/v1/documents/ID", undefined],
      ["POST", "/api/v1/documents/ID/move", { path: "mine.md" }],
      ["POST", "/api/v1/documents/ID/verify", { verification: "deprecated" }],
      ["GET", "/api/v1/documents/ID/versions", undefined],
      ["GET", "/api/v1/documents/ID/lineage", undefined]
    ] as const) {
      const [hidden, absent] = await Promise.all(
        [secretId, unknown].map((id) =>
          server.call(method, path.replace("ID", id), {
            key: keys.open,
            ...(body === undefined ? {} : { body })
          })
        )
      )
      expect(hidden?.status).toBe(404)
      expect([hidden?.status, hidden?.body]).toEqual([absent?.status, absent?.body])
    }
    expect(await paths(keys.hr)).toContain("hr/salaries.md")
  })

  it("streams nothing of hidden documents", async () => {
    for (const path of ["/api/v1/audit?format=ndjson", "/api/v1/export/skos"]) {
      const text = async (key: string) =>
        (
          await server.fetch(
            new Request(`http://localhost${path}`, { headers: { authorization: `Bearer ${key}` } })
          )
        ).text()
      expect(await text(keys.open)).not.toMatch(/salar|Greta/i)
    }
    const audit = await server.fetch(
      new Request("http://localhost/api/v1/audit?format=ndjson", {
        headers: { authorization: `Bearer ${keys.all}` }
      })
    )
    expect(await audit.text()).toContain("hr/salaries.md")
  })

  it("shows a client of MCP no resource and no tool result of hidden documents", async () => {
    const connect = async (key: string) => {
      const client = new Client({ name: "test", version: "0.0.0" })
      await client.connect(
        new StreamableHTTPClientTransport(new URL("http://kanon.test/api/mcp"), {
          requestInit: { headers: { authorization: `Bearer ${key}` } },
          fetch: (url, init) => server.fetch(new Request(url, init))
        })
      )
      return client
    }
    const [open, hr] = [await connect(keys.open), await connect(keys.hr)]
    const said = async (work: Promise<unknown>) =>
      JSON.stringify(await work.catch((error: unknown) => String(error)))
    const hidden = /salar|Greta/i
    expect(JSON.stringify(await hr.listResources())).toMatch(hidden)
    const { resources } = await open.listResources()
    expect(JSON.stringify(resources)).not.toMatch(hidden)
    for (const { uri } of resources) expect(await said(open.readResource({ uri }))).not.toMatch(hidden)
    const absent = "doc_00000000000000000000000000"
    const bothWays = async (ask: (id: string) => Promise<unknown>) => {
      const [mine, none] = [await said(ask(secretId)), await said(ask(absent))]
      expect(mine.replaceAll(secretId, absent)).toBe(none)
      expect(mine).not.toMatch(hidden)
    }
    await bothWays((id) => open.readResource({ uri: `svc://documents/${id}` }))
    expect(await said(hr.readResource({ uri: `svc://documents/${secretId}` }))).toMatch(hidden)
    const { tools } = await open.listTools()
    let named = 0
    for (const { annotations, inputSchema, name } of tools) {
      if (annotations?.readOnlyHint !== true) continue
      const fields = Object.keys(inputSchema.properties ?? {})
      for (const field of fields.filter((one) => /^(?:id|docId|documentId)$/.test(one))) {
        named += 1
        await bothWays((id) => open.callTool({ name, arguments: { [field]: id } }))
      }
      const free = fields.find((one) => /^(?:q|query)$/.test(one))
      if (free !== undefined)
        expect(await said(open.callTool({ name, arguments: { [free]: "pay of the staff" } }))).not.toMatch(
          hidden
        )
    }
    expect(named).toBeGreaterThan(3)
    await Promise.all([open.close(), hr.close()])
  })

  it("answers questions from what the caller may read, and streams no other source", async () => {
    const ask = async (key: string) => {
      const answer = await server.fetch(
        new Request("http://localhost/api/v1/query", {
          method: "POST",
          headers: {
            authorization: `Bearer ${key}`,
            "content-type": "application/json",
            accept: "text/event-stream"
          },
          body: JSON.stringify({ question: "What is the salary of Greta Vogel?" })
        })
      )
      return answer.text()
    }
    expect(await ask(keys.hr)).toContain("91,000")
    // A cached answer of the one is none for the other.
    expect(await ask(keys.hr)).toContain("91,000")
    expect(await ask(keys.open)).not.toMatch(/91,000|salaries/)
  })

  it("looks up the groups of a user at each request", async () => {
    const user = await server.user("Greta", [home])
    const key = await server.userKey(user, [home], ["kb:read"])
    expect(await paths(key)).toEqual(["handbook.md"])
    await server.as(home, operations.addToGroup.run({ name: "hr", userId: user }))
    expect(await paths(key)).toContain("hr/salaries.md")
    await server.as(home, operations.removeFromGroup.run({ name: "hr", userId: user }))
    expect(await paths(key)).toEqual(["handbook.md"])
  })

  it("makes no key that reads more than its maker", async () => {
    const mintBy = (key: string, access: unknown) =>
      server.call("POST", "/api/v1/keys", { key, body: { name: "n", scopes: ["kb:read"], access } })
    expect((await mintBy(keys.hr, ["hr"])).status).toBe(201)
    expect((await mintBy(keys.hr, ["board"])).status).toBe(400)
    expect((await mintBy(keys.open, "all")).status).toBe(400)
  })
})
