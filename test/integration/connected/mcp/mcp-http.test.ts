import type { IncomingMessage, ServerResponse } from "node:http"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { streamText } from "ai"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { z } from "zod"
import { mcpClient } from "../../../../adapters/mcp/client.js"
import { guardedFetch, replyLimits } from "../../../../adapters/models/guarded-fetch.js"
import { McpClient, type McpTarget } from "../../../../core/connected/mcp/index.js"
import { scopeOf } from "../../../../core/platform/kernel/index.js"
import { type LoopbackServer, listenOnLoopback } from "../../../support/loopback.js"

const uncaught: Array<unknown> = []
const noteUncaught = (error: unknown) => {
  uncaught.push(error)
}
let server: LoopbackServer
let handle: (request: IncomingMessage, response: ServerResponse, body: string) => void
let url = ""

beforeEach(async () => {
  uncaught.length = 0
  process.on("uncaughtException", noteUncaught)
  server = await listenOnLoopback((request, response, body) => handle(request, response, String(body)))
  url = `${server.url}/mcp`
})
afterEach(async () => {
  await server.close()
  process.off("uncaughtException", noteUncaught)
})

const target = (): McpTarget => ({
  workspace: scopeOf("ws_test"),
  name: "s",
  server: {
    transport: "http",
    url,
    tools: {},
    secret: "",
    timeoutMs: 5_000
  } as unknown as McpTarget["server"],
  credential: null
})
const rules = { commands: [], environment: [], privateAddresses: true }

/** Uses a client that is closed at once after the work, as a command does that ends. */
const withClient = <A, E>(use: (client: McpClient["Type"]) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.either(Effect.provide(Effect.flatMap(McpClient, use), mcpClient(rules))))

const later = (ms: number) => new Promise((done) => setTimeout(done, ms))

/** Answers each request by an event stream in one packet, as servers without sessions do. */
const stateless =
  (results: Readonly<Record<string, unknown>>) =>
  (request: IncomingMessage, response: ServerResponse, body: string) => {
    if (request.method !== "POST") return void response.writeHead(405).end()
    const { id, method, params } = JSON.parse(body)
    if (id === undefined) return void response.writeHead(202).end()
    const result =
      method === "initialize"
        ? {
            protocolVersion: params.protocolVersion,
            capabilities: { tools: {} },
            serverInfo: { name: "s", version: "1" }
          }
        : results[method]
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.end(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`)
  }

describe("an MCP server over HTTP", () => {
  it.each([
    ["lists no list of tools", { "tools/list": { tools: {} } }],
    ["answers a call with text in place of blocks", { "tools/call": { content: "ok" } }],
    ["answers a call with a block of an unknown type", { "tools/call": { content: [{ type: "hologram" }] } }]
  ])("that %s fails its caller alone", async (_, results) => {
    handle = stateless({ "tools/list": { tools: [] }, ...results })
    for (let round = 0; round < 8; round++) {
      const outcome = await withClient(({ call, tools }) =>
        "tools/call" in results ? call(target(), "t", {}, "read_only") : tools(target())
      )
      expect(Either.isLeft(outcome)).toBe(true)
    }
    await later(50)
    expect(uncaught).toEqual([])
  })

  it("made with the SDK is used, and left in the moment of its last answer", async () => {
    handle = (request, response, body) => {
      const own = new McpServer({ name: "adder", version: "1.0.0" })
      own.registerTool("add", { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => ({
        content: [{ type: "text", text: String(a + b) }]
      }))
      const transport = new StreamableHTTPServerTransport({})
      response.on("close", () => void own.close())
      void own
        .connect(transport as Parameters<typeof own.connect>[0])
        .then(() => transport.handleRequest(request, response, body === "" ? undefined : JSON.parse(body)))
    }
    for (let round = 0; round < 8; round++)
      expect(await withClient(({ call }) => call(target(), "add", { a: 2, b: 3 }, "read_only"))).toEqual(
        Either.right("5")
      )
    await later(50)
    expect(uncaught).toEqual([])
  })

  it("that speaks a newer protocol only is quoted", async () => {
    handle = (_, response, body) => {
      const error = { code: -32022, message: "Unsupported protocol version: 2025-11-25" }
      response.writeHead(400, { "content-type": "application/json" })
      response.end(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(body).id ?? null, error }))
    }
    const outcome = await withClient(({ tools }) => tools(target()))
    expect(Either.getOrThrow(Either.flip(outcome))).toMatchObject({
      code: "mcp_failed",
      message: 'The MCP server "s" answered: MCP error -32022: Unsupported protocol version: 2025-11-25.'
    })
  })

  it.each([
    [-32602, "No such city", "invalid_arguments", 1],
    [-32603, "Out of paper", "mcp_failed", 1],
    // The code of a session that the server does not know: the call is sent once more.
    [-32000, "Bad Request: No valid session ID provided", "mcp_failed", 2]
  ])(
    "that refuses a write with status 400 and %i has carried out nothing",
    async (code, message, failure, sent) => {
      let calls = 0
      const fine = stateless({})
      handle = (request, response, body) => {
        const { id, method } = JSON.parse(body || "{}")
        if (method !== "tools/call") return fine(request, response, body)
        calls += 1
        response.writeHead(400, { "content-type": "application/json" })
        response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }))
      }
      const outcome = await withClient(({ call }) => call(target(), "print", {}, "write"))
      expect(Either.getOrThrow(Either.flip(outcome))).toMatchObject({
        code: failure,
        message: expect.stringContaining(message)
      })
      expect(calls).toBe(sent)
    }
  )
})

describe("a streamed reply of a chat model", () => {
  it.each([1, 2_000])("of %i parts can be left while it is read", async (parts) => {
    handle = (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      const part = { id: "r", object: "chat.completion.chunk", created: 1, model: "m" }
      const choice = (delta: object, finish_reason: string | null) =>
        `data: ${JSON.stringify({ ...part, choices: [{ index: 0, delta, finish_reason }] })}\n\n`
      response.end(
        `${choice({ role: "assistant", content: "Hi" }, null).repeat(parts)}${choice({}, "stop")}data: [DONE]\n\n`
      )
    }
    const fetch = guardedFetch({ privateAddresses: true, ...replyLimits })
    const provider = createOpenAICompatible({ name: "p", baseURL: url, fetch })
    for (let round = 0; round < 10; round++) {
      const leave = new AbortController()
      const { fullStream } = streamText({
        model: provider("m"),
        prompt: "Hello",
        abortSignal: leave.signal,
        maxRetries: 0,
        onError: () => undefined
      })
      for await (const { type } of fullStream)
        if (type === "text-start" || type === "text-delta") leave.abort()
    }
    await later(50)
    expect(uncaught).toEqual([])
  })

  it("ends with an AbortError for whoever reads it", async () => {
    handle = (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write("data: 1\n\n")
    }
    const leave = new AbortController()
    const answer = await guardedFetch({ privateAddresses: true, ...replyLimits })(url, {
      signal: leave.signal
    })
    const reader = answer.body?.getReader()
    await reader?.read()
    leave.abort()
    await expect(reader?.read()).rejects.toMatchObject({ name: "AbortError" })
  })
})
