// `kanon mcp` with clients of both protocols over standard input and output.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { expect, it } from "vitest"
import { z } from "zod"
import { command, plainEnvironment, vault } from "../support/cli.js"

const files = { "oil.md": "# Gearbox\n\nThe gearbox takes four litres of oil.\n" }
const revision = "2026-07-28"
const environment = Object.fromEntries(
  Object.entries(plainEnvironment()).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
)

it.each([
  ["the default", "legacy", "2025-11-25"],
  ["auto", "auto", revision],
  ["pinned", { pin: revision }, revision]
] as const)("answers the official client 2.x, mode %s", async (_, mode, version) => {
  const client = new Client({ name: "test", version: "0.0.0" }, { versionNegotiation: { mode } })
  const wrong: Array<Error> = []
  client.onerror = (error) => wrong.push(error)
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [command, "mcp", "--vault", vault(files), "--read-only"],
      env: environment,
      stderr: "pipe"
    })
  )
  expect(client.getNegotiatedProtocolVersion()).toBe(version)
  const search = async () =>
    (await client.callTool({ name: "search", arguments: { query: "gearbox oil" } })).structuredContent
  await expect.poll(search).toMatchObject({
    results: [{ title: "Gearbox", url: expect.stringMatching(/^svc:\/\/documents\/doc_/) }]
  })
  const seen: Array<number> = []
  const { structuredContent } = await client.callTool(
    { name: "svc_query", arguments: { question: "How much oil does the gearbox take?" } },
    { onprogress: ({ progress }) => seen.push(progress) }
  )
  expect(structuredContent).toMatchObject({ answer: expect.stringContaining("four litres") })
  expect(seen.length).toBeGreaterThanOrEqual(7)
  expect((await client.listResources()).resources).toHaveLength(2)
  await client.close()
  expect(wrong).toEqual([])
})

it("answers a request that carries its version, without any beginning, before it ends", async () => {
  const child = spawn(process.execPath, [command, "mcp", "--vault", vault(files)], {
    env: environment,
    stdio: ["pipe", "pipe", "pipe"]
  })
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientCapabilities": {}
  }
  const send = (id: number, method: string, params: object) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta } })}\n`)
  send(1, "tools/call", { name: "svc_list_documents", arguments: {} })
  send(2, "ping", {})
  child.stdin.end()
  const [stdout, stderr, [status]] = await ended
  const messages = stdout
    .trimEnd()
    .split("\n")
    .map((line) => z.looseObject({ id: z.int() }).parse(JSON.parse(line)))
    .sort((a, b) => a.id - b.id)
  expect(messages).toMatchObject([
    { id: 1, result: { resultType: "complete", structuredContent: { items: expect.any(Array) } } },
    { id: 2, error: { code: -32601 } }
  ])
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 })
})
