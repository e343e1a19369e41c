// The client of MCP servers against servers of either protocol, made with the official SDK.
import { join } from "node:path"
import { createMcpHandler, fromJsonSchema, inputRequired, McpServer } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { afterEach, describe, expect, it } from "vitest"
import { z } from "zod"
import { mcpClient } from "../../../../adapters/mcp/client.js"
import { McpClient, type McpTarget } from "../../../../core/connected/mcp/index.js"
import { scopeOf } from "../../../../core/platform/kernel/index.js"
import { McpServer as McpServerSettings } from "../../../../core/platform/workspace/mcp-servers.js"
import { listen } from "../../../../server/listen.js"
import { root } from "../../../support/tree.js"

const program = join(root, "test", "support", "mcp-modern-main.mjs")
const limits = { bodyTimeoutMs: 5_000, headersTimeoutMs: 5_000, sendTimeoutMs: 5_000, shutdownMs: 100 }
const command = [process.execPath, program]
const rules = { commands: [command], environment: [], privateAddresses: true }

let close = async () => {}
afterEach(() => close())

const targetOf = (server: object): McpTarget => ({
  workspace: scopeOf("ws_test"),
  name: "s",
  server: McpServerSettings.parse({ timeoutMs: 5_000, ...server }),
  credential: null
})

const withClient = <A, E>(use: (client: McpClient["Type"]) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.either(Effect.provide(Effect.flatMap(McpClient, use), mcpClient(rules))))

const makeServer = () => {
  const server = new McpServer({ name: "tools", version: "1.0.0" })
  server.registerTool("add", { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }]
  }))
  const region = { type: "string", "x-mcp-header": "Region" }
  server.registerTool(
    "weather",
    {
      inputSchema: fromJsonSchema<{ region: string }>({
        type: "object",
        properties: { region },
        required: ["region"]
      })
    },
    ({ region: where }) => ({ content: [{ type: "text", text: `rain in ${where}` }] })
  )
  server.registerTool("ask", { inputSchema: z.object({}) }, () =>
    inputRequired({
      inputRequests: {
        name: inputRequired.elicit({ message: "Who?", requestedSchema: { type: "object", properties: {} } })
      }
    })
  )
  return server
}

/** Serves tools over HTTP, and notes the headers of each call. */
const serve = async (legacy: "stateless" | "reject") => {
  const handler = createMcpHandler(makeServer, { legacy })
  const seen: Array<Headers> = []
  const listening = await listen(
    async (request) => {
      seen.push(request.headers)
      return handler.fetch(request)
    },
    { host: "127.0.0.1", port: 0, ...limits }
  )
  close = async () => {
    await handler.close()
    await listening.close()
  }
  return { seen, target: targetOf({ transport: "http", url: `${listening.url}/mcp` }) }
}

describe("an MCP server over HTTP", () => {
  it.each(["stateless", "reject"] as const)(
    "of the new protocol, with the old one %s, is listed and called",
    async (legacy) => {
      const { seen, target } = await serve(legacy)
      const outcome = await withClient(({ call, tools }) =>
        Effect.all([
          Effect.map(tools(target), ({ tools: offered }) => offered.map(({ name }) => name)),
          call(target, "add", { a: 2, b: 3 }, "write")
        ])
      )
      expect(outcome).toEqual(Either.right([["add", "weather", "ask"], "5"]))
      const isNew = seen.at(-1)?.get("mcp-protocol-version") === "2026-07-28"
      expect(isNew).toBe(legacy === "reject")
    }
  )

  it("that serves the new protocol alone gets arguments in headers where it names them", async () => {
    const { seen, target } = await serve("reject")
    const outcome = await withClient(({ call }) => call(target, "weather", { region: "Faroe" }, "read_only"))
    expect(outcome).toEqual(Either.right("rain in Faroe"))
    expect(seen.at(-1)?.get("mcp-param-region")).toBe("Faroe")
    expect(seen.at(-1)?.get("mcp-name")).toBe("weather")
  })

  it("that serves the new protocol alone tells what is wrong, and asks for input in vain", async () => {
    const { target } = await serve("reject")
    const failure = async (tool: string, given: Readonly<Record<string, unknown>>) =>
      Either.getOrThrow(Either.flip(await withClient(({ call }) => call(target, tool, given, "write"))))
    expect(await failure("nothing", {})).toMatchObject({
      code: "invalid_arguments",
      message: expect.stringContaining("nothing")
    })
    expect(await failure("ask", {})).toMatchObject({ code: "mcp_failed" })
  })
})

describe("an MCP server over stdio", () => {
  it("that serves the new protocol alone is listed and called", async () => {
    const target = targetOf({ transport: "stdio", command: process.execPath, args: [program] })
    const outcome = await withClient(({ call, tools }) =>
      Effect.all([
        Effect.map(tools(target), ({ tools: offered }) => offered.map(({ name }) => name)),
        call(target, "add", { a: 2, b: 3 }, "read_only")
      ])
    )
    expect(outcome).toEqual(Either.right([["add"], "5"]))
  })
})
