import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, expect, it } from "vitest"
import { z } from "zod"
import { folder, kanon, plainEnvironment, start, vault } from "../support/cli.js"
import { serverShapes } from "../support/cli-shapes.js"
import { root } from "../support/tree.js"

const suite = join(root, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
const notes = vault({ "oil.md": "# Gearbox\n\nThe gearbox takes 123 litres of oil.\n" })
const results = folder()

let key = ""
let target = ""
let documentId = ""
let server: ReturnType<typeof start>

const Message = z.looseObject({ method: z.string(), params: z.looseObject({}) })

/** Translates the suite's own tool names to calls of our tools. */
const translated = (body: string): string => {
  const parsed = body === "" ? undefined : Message.safeParse(JSON.parse(body))
  if (parsed?.success !== true) return body
  const { params, ...message } = parsed.data
  const aliases: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    test_simple_text: { name: "svc_search", arguments: { q: "oil" } },
    test_error_handling: { name: "svc_get_document", arguments: { id: "doc_00000000000000000000000000" } },
    test_tool_with_progress: { name: "svc_query", arguments: { question: "How much oil does it take?" } },
    "test://static-text": { uri: "svc://workspace/manifest" },
    "test://template/123/data": { uri: `svc://documents/${documentId}` }
  }
  const alias = aliases[String(params["name"] ?? params["uri"])]
  return alias === undefined ? body : JSON.stringify({ ...message, params: { ...params, ...alias } })
}

/** The suite knows nothing of keys: it goes through a proxy that adds one, as a browser application would. */
const forward = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
  const body = translated(await text(incoming))
  const { "content-length": _, ...headers } = incoming.headers
  const upstream = request(
    target,
    {
      method: incoming.method,
      headers: {
        ...headers,
        authorization: `Bearer ${key}`,
        ...(body === "" ? {} : { "content-length": String(Buffer.byteLength(body)) })
      }
    },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      outgoing.flushHeaders()
      answer.pipe(outgoing)
    }
  )
  upstream.on("error", () => outgoing.destroy())
  outgoing.on("close", () => upstream.destroy())
  upstream.end(body)
}
const proxy = createServer((incoming, outgoing) => void forward(incoming, outgoing))

beforeAll(async () => {
  const made = kanon(["init", "--vault", notes, "--json"])
  key = z.object({ key: z.string() }).parse(JSON.parse(made.stdout)).key
  expect(kanon(["ingest", "--vault", notes]).status).toBe(0)
  const Documents = z.object({ items: z.array(z.object({ id: z.string() })) })
  documentId =
    Documents.parse(JSON.parse(kanon(["documents", "list", "--vault", notes, "--json"]).stdout)).items[0]
      ?.id ?? ""
  proxy.listen(0, "127.0.0.1")
  await once(proxy, "listening")
  server = start(["serve", "--vault", notes, "--port", "0", "--json"], {
    env: { KANON_MCP_ORIGINS: proxyUrl() }
  })
  target = serverShapes.serve.parse(JSON.parse(await server.firstLine)).mcp
})
afterAll(() => {
  server.signal("SIGKILL")
  proxy.close()
  proxy.closeAllConnections()
})

const proxyUrl = (): string => {
  const address = proxy.address()
  if (address === null || typeof address === "string") throw new TypeError("The proxy has no port.")
  return `http://127.0.0.1:${address.port}`
}

it("passes the official conformance suite for what it offers", async () => {
  const baseline = join(root, "test", "fixtures", "mcp-conformance.yml")
  const args = ["server", "--url", `${proxyUrl()}/mcp`, "--suite", "all", "--expected-failures", baseline]
  const child = spawn(process.execPath, [suite, ...args, "-o", results], {
    env: plainEnvironment(),
    stdio: ["ignore", "pipe", "pipe"]
  })
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close")
  ])
  const summary = stdout.slice(stdout.indexOf("=== SUMMARY ==="))
  const passed = [...summary.matchAll(/✓ ([\w-]+): [1-9]/g)].map(([, name]) => name)
  // Named one by one, so that a suite that runs fewer of them is noticed.
  expect(passed).toEqual([
    "server-initialize",
    "ping",
    "tools-list",
    "tools-call-simple-text",
    "tools-call-error",
    "tools-call-with-progress",
    "server-sse-multiple-streams",
    "resources-list",
    "resources-read-text",
    "resources-templates-read",
    "prompts-list",
    "dns-rebinding-protection"
  ])
  expect({ stderr, told: summary.split("\n").filter((line) => !/^[✓✗] /.test(line)), status }).toMatchObject({
    status: 0
  })
})
