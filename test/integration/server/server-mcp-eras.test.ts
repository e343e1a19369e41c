// Clients of both protocols against one server: those with a handshake and a session, and those of revision 2026-07-28,
// whose requests carry all they need.
import { Client, type Progress, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import type { WorkspaceId } from "../../../core/platform/kernel/index.js"
import { mcpHttp } from "../../../server/mcp/http.js"
import { startServer, type TestServer } from "../../support/server.js"
import { slowModel } from "../../support/slow-model.js"

const revision = "2026-07-28"
const noId = "doc_00000000000000000000000000"

let server: TestServer
let workspace: WorkspaceId
let key = ""
let oil = ""
const { chat, seen: model } = slowModel(() => ({ parts: [""], pauseMs: 0, hangs: true }))

beforeAll(async () => {
  server = await startServer({ models: { chat } })
  workspace = await server.workspace("Workshop")
  key = await server.key(workspace)
  const body = { path: "oil.md", content: "# Gearbox\n\nThe gearbox takes four litres of oil.\n" }
  const made = await server.call("POST", "/api/v1/documents", { key, body })
  oil = z.object({ docId: z.string() }).parse(made.body).docId
})
afterAll(() => server.close())

type Mode = "legacy" | "auto" | { readonly pin: string }

const connect = async (mode: Mode, bearer = key, to: Pick<TestServer, "fetch"> = server) => {
  const client = new Client({ name: "test", version: "0.0.0" }, { versionNegotiation: { mode } })
  const transport = new StreamableHTTPClientTransport(new URL("http://kanon.test/api/mcp"), {
    requestInit: { headers: { authorization: `Bearer ${bearer}` } },
    fetch: (url, init) => to.fetch(new Request(url, init))
  })
  await client.connect(transport)
  return { client, transport }
}

const envelope = {
  "io.modelcontextprotocol/protocolVersion": revision,
  "io.modelcontextprotocol/clientCapabilities": {}
}

const post = async (message: unknown, headers: Readonly<Record<string, string>> = {}, bearer = key) => {
  const response = await server.fetch(
    new Request("http://kanon.test/api/mcp", {
      method: "POST",
      headers: {
        authorization: `Bearer ${bearer}`,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        ...headers
      },
      body: JSON.stringify(message)
    })
  )
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) }
}

/** A request of the new revision as a client sends it. */
const modern = (
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
  bearer = key
) =>
  post(
    { jsonrpc: "2.0", id: 7, method, params: { ...params, _meta: envelope } },
    { "mcp-protocol-version": revision, "mcp-method": method, ...headers },
    bearer
  )

const modes: ReadonlyArray<readonly [string, Mode]> = [
  ["the default", "legacy"],
  ["auto", "auto"],
  ["pinned", { pin: revision }]
]

describe.each(modes)("the official client 2.x, mode %s", (_, mode) => {
  it("lists and calls tools, reads resources and gets prompts", async () => {
    const { client, transport } = await connect(mode)
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === "legacy" ? "2025-11-25" : revision)
    expect(transport.sessionId === undefined).toBe(mode !== "legacy")
    expect(client.getInstructions()).toContain("[S1]")
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["search", "fetch", "svc_query"]))

    const { content, structuredContent } = await client.callTool({
      name: "search",
      arguments: { query: "oil" }
    })
    expect(structuredContent).toEqual({
      results: [{ id: oil, title: "Gearbox", url: `svc://documents/${oil}` }]
    })
    expect(content).toEqual([{ type: "text", text: JSON.stringify(structuredContent) }])
    const fetched = await client.callTool({ name: "fetch", arguments: { id: oil } })
    expect(fetched.structuredContent).toMatchObject({
      id: oil,
      title: "Gearbox",
      text: expect.stringContaining("four litres"),
      url: `svc://documents/${oil}`,
      metadata: { path: "oil.md", version: "1", verification: "unverified" }
    })
    const unknown = await client.callTool({ name: "fetch", arguments: { id: noId } })
    expect(unknown).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("not_found") }]
    })

    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(["svc://workspace/manifest", `svc://documents/${oil}`])
    const { contents } = await client.readResource({ uri: `svc://documents/${oil}` })
    expect(contents).toMatchObject([
      { mimeType: "text/markdown", text: expect.stringContaining("# Gearbox") }
    ])
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "svc://documents/{id}",
      "svc://entities/{id}"
    ])
    await expect(client.readResource({ uri: `svc://documents/${noId}` })).rejects.toThrow(
      "Resource not found"
    )

    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(["ask", "find", "what-changed", "review-stale"])
    const { messages } = await client.getPrompt({ name: "find", arguments: { subject: "oil changes" } })
    expect(messages).toMatchObject([
      { role: "user", content: { text: expect.stringContaining("oil changes") } }
    ])
    await expect(client.getPrompt({ name: "find", arguments: {} })).rejects.toThrow("arguments.subject")
    await client.close()
  })

  it("tells progress and stops the work of a call that is cancelled", async () => {
    const { client } = await connect(mode)
    const before = { ...model }
    const cancel = new AbortController()
    const seen: Array<Progress> = []
    const pending = client.callTool(
      { name: "svc_query", arguments: { question: "How much oil does the gearbox take?" } },
      { signal: cancel.signal, onprogress: (progress) => seen.push(progress) }
    )
    await expect
      .poll(() => seen.map(({ message, progress, total }) => [progress, total, message]))
      .toEqual([
        [1, 7, "Retrieving passages"],
        [2, 7, "Reading passages"],
        [3, 7, "Judging the evidence"],
        [4, 7, "Answering"]
      ])
    expect(model).toMatchObject({ asked: before.asked + 1, stopped: before.stopped })
    cancel.abort("enough")
    await expect(pending).rejects.toThrow("enough")
    await expect.poll(() => model.stopped).toBe(before.stopped + 1)
    // The connection goes on.
    const { content } = await client.callTool({ name: "svc_search", arguments: { q: "oil" } })
    expect(content).toHaveLength(1)
    await client.close()
  })
})

describe("requests that carry their version", () => {
  it("are answered by any process, without a session", async () => {
    const other = mcpHttp({ runtime: server.runtime, version: "0.0.0", sessionsMax: 1 })
    const elsewhere = {
      fetch: async (request: Request) => {
        const { response } = await other.serve(request, "request")
        if (!(response instanceof Response)) throw new TypeError("There is no response.")
        return response
      }
    }
    let turn = 0
    const either = { fetch: (request: Request) => (turn++ % 2 === 0 ? server : elsewhere).fetch(request) }
    const { client } = await connect({ pin: revision }, key, either)
    for (let count = 0; count < 4; count++)
      expect(await client.callTool({ name: "svc_search", arguments: { q: "oil" } })).toMatchObject({
        structuredContent: { total: 1 }
      })
    await client.close()
    await other.close()
  })

  it("get results with their type, the server and how long they hold", async () => {
    const found = await modern("server/discover")
    expect(found.body).toMatchObject({
      id: 7,
      result: {
        resultType: "complete",
        supportedVersions: [revision],
        capabilities: { tools: {}, resources: {}, prompts: {} },
        ttlMs: expect.any(Number),
        cacheScope: "private",
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "kanon" } }
      }
    })
    expect(found.headers.get("mcp-session-id")).toBeNull()
    const name = { "mcp-name": `svc://documents/${oil}` }
    for (const [method, params, more] of [
      ["tools/list", {}, {}],
      ["prompts/list", {}, {}],
      ["resources/list", {}, {}],
      ["resources/templates/list", {}, {}],
      ["resources/read", { uri: `svc://documents/${oil}` }, name]
    ] as const)
      expect((await modern(method, params, more)).body.result, method).toMatchObject({
        resultType: "complete",
        ttlMs: expect.any(Number),
        cacheScope: "private"
      })
  })

  it.each([
    ["of a method that the revision lacks", "ping", {}, {}, 404, -32601],
    ["that begin a session", "initialize", {}, {}, 404, -32601],
    ["without the header of the method", "tools/list", {}, { "mcp-method": "" }, 400, -32020],
    ["with another method in the header", "tools/list", {}, { "mcp-method": "ping" }, 400, -32020],
    [
      "with another tool in the header",
      "tools/call",
      { name: "search" },
      { "mcp-name": "fetch" },
      400,
      -32020
    ],
    ["without the header of the tool", "tools/call", { name: "search" }, {}, 400, -32020],
    [
      "with another version in the header",
      "tools/list",
      {},
      { "mcp-protocol-version": "2025-11-25" },
      400,
      -32020
    ],
    [
      "of a tool that is not there",
      "tools/call",
      { name: "nothing" },
      { "mcp-name": "nothing" },
      200,
      -32602
    ],
    ["with a wrong cursor", "resources/list", { cursor: "x" }, {}, 200, -32602]
  ])("%s are refused", async (_, method, params, headers, status, code) => {
    const answer = await modern(method, params, headers)
    expect(answer).toMatchObject({ status, body: { id: 7, error: { code } } })
  })

  it("are refused without an envelope, or with the version of another time", async () => {
    const bare = { jsonrpc: "2.0", id: 3, method: "tools/list", params: {} }
    expect(await post(bare, { "mcp-protocol-version": revision, "mcp-method": "tools/list" })).toMatchObject({
      status: 400,
      body: { id: 3, error: { code: -32602 } }
    })
    const future = { ...envelope, "io.modelcontextprotocol/protocolVersion": "2099-01-01" }
    const later = { ...bare, params: { _meta: future } }
    expect(
      await post(later, { "mcp-protocol-version": "2099-01-01", "mcp-method": "tools/list" })
    ).toMatchObject({
      status: 400,
      body: { id: 3, error: { code: -32022, data: { supported: [revision], requested: "2099-01-01" } } }
    })
  })

  it("tell of a resource that is not there as each revision does", async () => {
    const uri = `svc://documents/${noId}`
    expect((await modern("resources/read", { uri }, { "mcp-name": uri })).body.error).toEqual({
      code: -32602,
      message: "Resource not found",
      data: { uri }
    })
    const { transport } = await connect("legacy")
    const read = { jsonrpc: "2.0", id: 4, method: "resources/read", params: { uri } }
    const response = await server.fetch(
      new Request("http://kanon.test/api/mcp", {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "mcp-session-id": transport.sessionId ?? ""
        },
        body: JSON.stringify(read)
      })
    )
    expect(await response.text()).toContain(`"code":-32002,"message":"Resource not found"`)
  })

  it("are admitted by their key alone, and offered what its scopes allow", async () => {
    expect((await modern("tools/list", {}, {}, "svc_sk_nobody")).status).toBe(401)
    const reader = await server.key(workspace, ["runs:read"])
    const { client } = await connect({ pin: revision }, reader)
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toContain("svc_get_run")
    expect(names).not.toContain("search")
    expect(await client.callTool({ name: "search", arguments: { query: "oil" } })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("insufficient_scope") }]
    })
    expect((await client.listPrompts()).prompts).toEqual([])
    expect((await client.listResources()).resources.map(({ uri }) => uri)).not.toContain(
      `svc://documents/${oil}`
    )
    await expect(client.readResource({ uri: `svc://documents/${oil}` })).rejects.toThrow()
    await client.close()
  })

  it("of another workspace find nothing of this one", async () => {
    const foreign = await server.key(await server.workspace("Elsewhere"))
    const { client } = await connect({ pin: revision }, foreign)
    expect(
      (await client.callTool({ name: "search", arguments: { query: "oil" } })).structuredContent
    ).toEqual({
      results: []
    })
    expect(await client.callTool({ name: "fetch", arguments: { id: oil } })).toMatchObject({ isError: true })
    expect((await client.listResources()).resources).toHaveLength(1)
    await client.close()
  })
})

describe("documents for assistants", () => {
  it("are listed page by page, each once", async () => {
    const many = await server.workspace("Many")
    const bearer = await server.key(many)
    for (let count = 0; count < 103; count++) {
      const path = `note-${String(count).padStart(3, "0")}.md`
      await server.call("POST", "/api/v1/documents", {
        key: bearer,
        body: { path, content: `# Note ${count}` }
      })
    }
    const { client } = await connect({ pin: revision }, bearer)
    const first = await client.listResources({})
    const { resources } = first
    const paged: Array<string> = []
    let cursor: string | undefined
    do {
      const page = await modern("resources/list", cursor === undefined ? {} : { cursor }, {}, bearer)
      const read = z
        .object({ resources: z.array(z.object({ name: z.string() })), nextCursor: z.string().optional() })
        .parse(page.body.result)
      expect(read.resources.length).toBeLessThanOrEqual(101)
      paged.push(...read.resources.map(({ name }) => name))
      cursor = read.nextCursor
    } while (cursor !== undefined)
    expect(paged).toHaveLength(104)
    expect(new Set(paged).size).toBe(104)
    expect(resources.length).toBeGreaterThan(0)
    await client.close()
  })

  it("have the address of their passage in the console, where there is one", async () => {
    const other = mcpHttp({
      runtime: server.runtime,
      version: "0.0.0",
      consoleUrl: () => "https://kanon.example/kb/"
    })
    const { client } = await connect({ pin: revision }, key, {
      fetch: async (request) => {
        const { response } = await other.serve(request, "request")
        if (!(response instanceof Response)) throw new TypeError("There is no response.")
        return response
      }
    })
    const found = await client.callTool({ name: "search", arguments: { query: "litres of oil" } })
    const { results } = z
      .object({ results: z.array(z.object({ url: z.string() })) })
      .parse(found.structuredContent)
    expect(results[0]?.url).toMatch(new RegExp(`^https://kanon\\.example/kb/documents/${oil}\\?chunk=chk_`))
    await client.close()
    await other.close()
  })
})
