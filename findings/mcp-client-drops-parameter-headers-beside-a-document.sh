#!/usr/bin/env bash
# @modelcontextprotocol/client 2.4.0 leaves out the headers that a tool's schema names (`x-mcp-header`) when the process
# has the globals `window` and `document`, and the official server 2.4.0 then refuses the call.
#
# A Node process has both globals as soon as it renders pages or tests components with a DOM library (linkedom 0.18.15
# here, `Object.assign(globalThis, …)` as its users do). The client takes the process for a browser, where CORS might not
# let the headers pass, and does so for each call. Nothing else of the client changes: it connects, lists the tools, and
# calls tools without such headers. The same call passes once the globals are gone.
#
# Output seen on Node 20.20.2:
#   without a document: rain in Faroe
#   with a document: -32020
#   without it again: rain in Faroe
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf '{"type":"module","private":true}' >package.json
npm install --silent --no-audit --no-fund --no-save \
  @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/server@2.4.0 linkedom@0.18.15 >/dev/null

cat >run.mjs <<'JS'
import { createServer } from "node:http"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server"
import { parseHTML } from "linkedom"

const inputSchema = {
  type: "object",
  properties: { region: { type: "string", "x-mcp-header": "Region" } },
  required: ["region"]
}
const handler = createMcpHandler(
  () => {
    const server = new McpServer({ name: "tools", version: "1.0.0" })
    server.registerTool("weather", { inputSchema: fromJsonSchema(inputSchema) }, ({ region }) => ({
      content: [{ type: "text", text: `rain in ${region}` }]
    }))
    return server
  },
  { legacy: "reject" }
)
const http = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const { method, headers } = request
  const body = chunks.length === 0 ? undefined : Buffer.concat(chunks)
  const answer = await handler.fetch(new Request(`http://127.0.0.1${request.url}`, { method, headers, body }))
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.end(Buffer.from(await answer.arrayBuffer()))
})
await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve))

const client = new Client(
  { name: "c", version: "1.0.0" },
  { capabilities: {}, versionNegotiation: { mode: { pin: "2026-07-28" } } }
)
await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${http.address().port}/mcp`)))
await client.listTools()
const call = async () => {
  const given = { name: "weather", arguments: { region: "Faroe" } }
  try {
    const { content } = await client.callTool(given, { toolDefinition: { name: "weather", inputSchema } })
    return content[0].text
  } catch (error) {
    return /-\d{5}/.exec(`${error.code} ${error.message} ${error.data}`)?.[0] ?? String(error)
  }
}

console.log("without a document:", await call())
const { document, window } = parseHTML("<!doctype html><html><body></body></html>")
Object.assign(globalThis, { document, window })
console.log("with a document:", await call())
delete globalThis.document
delete globalThis.window
console.log("without it again:", await call())
process.exit(0)
JS

expected='without a document: rain in Faroe
with a document: -32020
without it again: rain in Faroe'
seen=$(node run.mjs)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ]
