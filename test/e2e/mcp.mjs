// Connects the official MCP client: `URL KEY [WORKSPACE]`. Prints what it found, as JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"

const [url, key, workspace] = process.argv.slice(2)
const headers = {
  authorization: `Bearer ${key}`,
  ...(workspace === undefined ? {} : { "x-workspace-id": workspace })
}
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
const client = new Client({ name: "walk", version: "1.0.0" })
await client.connect(transport)
const { tools } = await client.listTools()
const { contents } = await client.readResource({ uri: "svc://workspace/manifest" })
const { isError = false } = await client.callTool({ name: "svc_search", arguments: { q: "oil", limit: 1 } })
process.stdout.write(
  `${JSON.stringify({ tools: tools.map(({ name }) => name), resources: contents.length, isError })}\n`
)
await transport.terminateSession()
await client.close()
