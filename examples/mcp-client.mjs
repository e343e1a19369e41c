// A client of MCP starts `kanon mcp` over a folder and calls two of its tools.
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { createEngine } from "kanon/sqlite"
import { makeVault } from "./vault.mjs"

const vault = makeVault()
const engine = await createEngine({ vault })
await engine.ingest()
await engine.close()

const client = new Client({ name: "example", version: "1.0.0" })
await client.connect(
  new StdioClientTransport({
    command: "npx",
    args: ["kanon", "mcp", "--read-only", "--vault", vault],
    env: process.env,
    stderr: "ignore"
  })
)
const { tools } = await client.listTools()
console.log(tools.some(({ name }) => name === "svc_query"))
const { content } = await client.callTool({
  name: "search",
  arguments: { query: "wind limit of the north quay" }
})
const { results } = JSON.parse(content[0].text)
const found = await client.callTool({ name: "fetch", arguments: { id: results[0].id } })
console.log(JSON.parse(found.content[0].text).text.includes("20 m/s"))
await client.close()
// Prints:
// true
// true
