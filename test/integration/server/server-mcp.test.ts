import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { LATEST_PROTOCOL_VERSION } from "@modelcontextprotocol/sdk/types.js"
import Ajv from "ajv/dist/2020.js"
import formatsOf from "ajv-formats"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { KeyId, type WorkspaceId } from "../../../core/platform/kernel/index.js"
import { mcpHttp } from "../../../server/mcp/http.js"
import { startServer, type TestServer } from "../../support/server.js"
import { textOf } from "../../support/tree.js"

const headers = (key: string) => ({
  authorization: `Bearer ${key}`,
  accept: "application/json, text/event-stream",
  "content-type": "application/json"
})
const initialize = (protocolVersion: string) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "0" } }
})

/** The messages of a finished answer, whether it is a stream or one document. */
const messagesOf = async (response: Response) => {
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: "))
  return lines.map((line) => z.looseObject({}).parse(JSON.parse(line.slice("data: ".length))))
}

const connect = async (server: TestServer, key: string) => {
  const transport = new StreamableHTTPClientTransport(new URL("http://kanon.test/api/mcp"), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    fetch: (url, init) => server.fetch(new Request(url, init))
  })
  const client = new Client({ name: "test", version: "0.0.0" })
  await client.connect(transport as Parameters<Client["connect"]>[0])
  return { client, transport, session: transport.sessionId ?? "" }
}

/** A chat model that never answers. */
const endless = { modelId: "test/endless", generate: () => Effect.never }

let server: TestServer
let workspace: WorkspaceId
let key = ""

beforeAll(async () => {
  server = await startServer({ models: { chat: endless }, mcp: { lookMs: 20 } })
  workspace = await server.workspace("Workshop")
  key = await server.key(workspace)
  const body = { path: "oil.md", content: "# Gearbox\n\nThe gearbox takes four litres of oil.\n" }
  expect((await server.call("POST", "/api/v1/documents", { key, body })).status).toBe(201)
})
afterAll(() => server.close())

const post = (body: unknown, more: Readonly<Record<string, string>> = {}, bearer = key) =>
  server.fetch(
    new Request("http://kanon.test/api/mcp", {
      method: "POST",
      headers: { ...headers(bearer), ...more },
      body: JSON.stringify(body)
    })
  )

describe("MCP over HTTP", () => {
  it("ends the stream of a cancelled call, and tells nothing to who did not ask for progress", async () => {
    const session = (await post(initialize("2025-06-18"))).headers.get("mcp-session-id") ?? ""
    const more = { "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" }
    const params = { name: "svc_query", arguments: { question: "How much oil?" } }
    const streaming = await post({ jsonrpc: "2.0", id: 7, method: "tools/call", params }, more)
    const cancelled = { method: "notifications/cancelled", params: { requestId: 7 } }
    expect((await post({ jsonrpc: "2.0", ...cancelled }, more)).status).toBe(202)
    expect(await messagesOf(streaming)).toEqual([])
  })

  it.each([
    [LATEST_PROTOCOL_VERSION, LATEST_PROTOCOL_VERSION],
    ["2025-03-26", "2025-03-26"],
    ["2024-11-05", "2024-11-05"],
    ["1999-01-01", LATEST_PROTOCOL_VERSION]
  ])("agrees with a client of %s on %s", async (asked, agreed) => {
    const [message] = await messagesOf(await post(initialize(asked)))
    expect(message).toMatchObject({
      result: {
        protocolVersion: agreed,
        capabilities: { tools: {}, resources: {} },
        serverInfo: { name: "kanon" },
        instructions: expect.stringMatching(/\[S1\].*abstain_with_pointers.*never an instruction/s)
      }
    })
  })

  it("refuses a version that it does not know, after the beginning", async () => {
    const session = (await post(initialize(LATEST_PROTOCOL_VERSION))).headers.get("mcp-session-id") ?? ""
    const list = { jsonrpc: "2.0", id: 2, method: "tools/list" }
    const more = { "mcp-session-id": session, "mcp-protocol-version": "1999-01-01" }
    expect((await post(list, more)).status).toBe(400)
    expect((await post(list, { "mcp-session-id": session })).status).toBe(200)
    expect((await post(list)).status).toBe(400)
  })

  it.each([
    ["tools/call", { name: "svc_search", arguments: ["oil"] }, "arguments"],
    ["tools/call", { name: "svc_search", arguments: null }, "arguments"],
    ["tools/call", { arguments: {} }, "name"],
    ["tools/call", undefined, "params"],
    ["tools/list", { cursor: 5 }, "cursor"],
    ["resources/read", {}, "uri"]
  ])("tells of wrong parameters, not of an error inside: %s %j", async (method, params, wrong) => {
    const session = (await post(initialize(LATEST_PROTOCOL_VERSION))).headers.get("mcp-session-id") ?? ""
    const request = { jsonrpc: "2.0", id: 2, method, params }
    const [message] = await messagesOf(await post(request, { "mcp-session-id": session }))
    expect(message).toMatchObject({ error: { code: -32602, message: expect.stringContaining(wrong) } })
  })

  it("shows tools with schemas that are good JSON Schema, and fill their hints", async () => {
    const { client } = await connect(server, key)
    const { tools } = await client.listTools()
    const schemas = new Ajv.default({ strict: true, strictTypes: false })
    formatsOf.default(schemas)
    for (const { annotations, inputSchema, name, outputSchema } of tools) {
      expect(annotations).toMatchObject({ openWorldHint: false })
      expect(() => schemas.compile(inputSchema), name).not.toThrow()
      expect(() => schemas.compile(outputSchema ?? false), name).not.toThrow()
    }
    expect(tools.length).toBeGreaterThan(5)
    await client.close()
  })

  it("lists all tools in less than 25 kB, each of them in the documentation", async () => {
    const { client } = await connect(server, key)
    const { tools } = await client.listTools()
    expect(JSON.stringify({ tools }).length).toBeLessThan(25_000)
    const page = textOf("docs/mcp.md")
    expect(tools.filter(({ name }) => !page.includes(`| \`${name}\` |`)).map(({ name }) => name)).toEqual([])
    await client.close()
  })

  it("sends the headers of a silent stream at once, and takes any media type for its own", async () => {
    const begun = await post(initialize(LATEST_PROTOCOL_VERSION), { accept: "*/*" })
    expect(begun.status).toBe(200)
    const session = begun.headers.get("mcp-session-id") ?? ""
    const stream = await server.fetch(
      new Request("http://kanon.test/api/mcp", {
        headers: { authorization: `Bearer ${key}`, accept: "*/*", "mcp-session-id": session }
      })
    )
    expect(stream.headers.get("x-request-id")).toMatch(/./)
    const reader = stream.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toMatch(/^:.*\n\n$/)
    await reader?.cancel()
    expect((await post(initialize(LATEST_PROTOCOL_VERSION), { accept: "text/html" })).status).toBe(406)
  })

  it("refuses messages that are too deep, too many or no JSON, before it reads them", async () => {
    for (const [body, status] of [
      ["[".repeat(1_000_000), 400],
      [`[${"{},".repeat(1_000_000)}{}]`, 400],
      ["{", 400],
      [`"${"a".repeat(11 * 1024 * 1024)}"`, 413]
    ] as const) {
      const request = { method: "POST", headers: headers(key), body }
      const response = await server.fetch(new Request("http://kanon.test/api/mcp", request))
      expect(response.status).toBe(status)
      expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { message: expect.any(String) } })
    }
  })

  it("lets no tenant push out the sessions of another", async () => {
    const few = await startServer({ mcp: { sessionsMax: 8 } })
    const tenant = async (name: string) => {
      const home = await few.workspace(name)
      return [await few.key(home), await few.key(home), await few.key(home)] as const
    }
    const call = async (bearer: string, body: object, session?: string) =>
      few.fetch(
        new Request("http://kanon.test/api/mcp", {
          method: "POST",
          headers: { ...headers(bearer), ...(session === undefined ? {} : { "mcp-session-id": session }) },
          body: JSON.stringify(body)
        })
      )
    const begin = async (bearer: string) =>
      (await call(bearer, initialize(LATEST_PROTOCOL_VERSION))).headers.get("mcp-session-id") ?? ""
    const alive = async (bearer: string, session: string) =>
      (await call(bearer, { jsonrpc: "2.0", id: 2, method: "ping" }, session)).status === 200
    const [small, ...others] = await Promise.all(["small", "a", "b", "c"].map(tenant))
    if (small === undefined) throw new RangeError("There is no small tenant.")
    const first = await begin(small[0])
    const kept: Array<readonly [string, string]> = []
    for (const keys of others)
      for (const bearer of keys)
        for (let count = 0; count < 4; count++) kept.push([bearer, await begin(bearer)])
    expect(await alive(small[0], first)).toBe(true)
    // A key has a quarter of the sessions, so its first ones are over; its workspace has half of them.
    const living = await Promise.all(kept.map(([bearer, session]) => alive(bearer, session)))
    expect(living.slice(0, 2)).toEqual([false, false])
    expect(living.filter(Boolean).length).toBeLessThan(8)
    await few.close()
  })

  it("ends a session when its client deletes it", async () => {
    const { client, session, transport } = await connect(server, key)
    await transport.terminateSession()
    const list = { jsonrpc: "2.0", id: 2, method: "tools/list" }
    expect((await post(list, { "mcp-session-id": session })).status).toBe(404)
    await client.close()
  })

  it("goes on with a session that another server began, and with none that is forged", async () => {
    const other = mcpHttp({ runtime: server.runtime, version: "0.0.0" })
    const elsewhere = async (
      method: string,
      body: unknown,
      more: Readonly<Record<string, string>>,
      by = key
    ) => {
      const init = { method, headers: { ...headers(by), ...more } }
      const withBody = body === null ? init : { ...init, body: JSON.stringify(body) }
      const { response } = await other.serve(new Request("http://kanon.test/api/mcp", withBody), "request")
      return response instanceof Response ? response : new Response(null, { status: response.status ?? 200 })
    }
    const { client, session } = await connect(server, key)
    const list = { jsonrpc: "2.0", id: 2, method: "tools/list" }
    const named = { "mcp-session-id": session, "mcp-protocol-version": LATEST_PROTOCOL_VERSION }
    const several = await Promise.all([1, 2, 3].map((id) => elsewhere("POST", { ...list, id }, named)))
    for (const response of several) {
      expect(response.status).toBe(200)
      const [message] = await messagesOf(response)
      expect(message).toMatchObject({ result: { tools: expect.any(Array) } })
    }
    const search = { name: "svc_search", arguments: { q: "oil" } }
    const asked = await elsewhere("POST", { ...list, method: "tools/call", params: search }, named)
    expect(await messagesOf(asked)).toMatchObject([{ result: { content: [{ type: "text" }] } }])
    const stream = await elsewhere("GET", null, { ...named, accept: "text/event-stream" })
    expect(stream.headers.get("content-type")).toContain("text/event-stream")
    await stream.body?.cancel()

    const foreign = await server.key(workspace)
    expect((await elsewhere("POST", list, named, foreign)).status).toBe(404)
    const [name = "", signature = ""] = session.split(".")
    for (const forged of [name, `${name}.`, `${name}x.${signature}`, `.${signature}`, "nobody"])
      expect((await elsewhere("POST", list, { ...named, "mcp-session-id": forged })).status).toBe(404)

    expect((await elsewhere("DELETE", null, named)).status).toBe(200)
    expect((await elsewhere("POST", list, named)).status).toBe(404)
    await other.close()
    await client.close()
  })

  it("lets a revoked key do nothing more, and closes the streams that it holds open", async () => {
    const minted = await server.call("POST", "/api/v1/keys", {
      key,
      body: { name: "guest", scopes: ["kb:read"] }
    })
    const guest = z.object({ id: KeyId, key: z.string() }).parse(minted.body)
    const { client, session } = await connect(server, guest.key)
    const ended = new Promise((resolve) => {
      client.onclose = () => resolve(undefined)
      client.onerror = () => resolve(undefined)
    })
    expect((await server.call("DELETE", `/api/v1/keys/${guest.id}`, { key })).status).toBe(200)
    const list = { jsonrpc: "2.0", id: 2, method: "tools/list" }
    expect((await post(list, { "mcp-session-id": session }, guest.key)).status).toBe(401)
    await ended
    await client.close()
  })

  it("refuses pages of other sites and names that are not its own", async () => {
    const guarded = await startServer({
      mcp: { allowedOrigins: ["https://notes.example"], allowedHosts: ["localhost", "kanon.test:8443"] }
    })
    const bearer = await guarded.key(await guarded.workspace("Guarded"))
    const status = async (more: Readonly<Record<string, string>>) => {
      const request = new Request("http://kanon.test/api/mcp", {
        method: "POST",
        headers: { ...headers(bearer), ...more },
        body: JSON.stringify(initialize("2025-06-18"))
      })
      return (await guarded.fetch(request)).status
    }
    expect(await status({ host: "localhost" })).toBe(200)
    expect(await status({ host: "localhost:7420" })).toBe(200)
    expect(await status({ host: "kanon.test:8443" })).toBe(200)
    expect(await status({ host: "kanon.test" })).toBe(403)
    expect(await status({ host: "localhost.evil.example" })).toBe(403)
    expect(await status({ host: "@localhost" })).toBe(403)
    expect(await status({ host: "localhost", origin: "https://notes.example" })).toBe(200)
    expect(await status({ host: "localhost", origin: "https://notes.example.evil" })).toBe(403)
    expect(await status({ host: "localhost", origin: "null" })).toBe(403)
    await guarded.close()
  })
})
