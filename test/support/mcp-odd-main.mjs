import { appendFileSync } from "node:fs"
import { createInterface } from "node:readline"

// An MCP server over stdio as strangers write them: `mcp-odd-main.mjs FILE` notes in the file what it was sent. Written
// by hand, since the SDK refuses names and schemas that real servers have.

const [, , file] = process.argv
let tools = [
  { name: "files.read", description: "Reads.", inputSchema: { type: "object" } },
  { name: "files/read", description: "Reads too.", inputSchema: { type: "object" } },
  { name: "bare", description: "Has no schema." },
  { name: "slow", description: "Takes its time.", inputSchema: { type: "object" } },
  { name: "grow", description: "Adds a tool.", inputSchema: { type: "object" } }
]
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const text = (value) => ({ content: [{ type: "text", text: value }] })
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "odd", version: "1" }
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name }) => {
    if (name === "slow") return undefined
    if (name === "grow") {
      tools = [...tools, { name: "late", description: "Came later.", inputSchema: { type: "object" } }]
      send({ method: "notifications/tools/list_changed" })
    }
    return text(`called ${name}`)
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method !== "ping") appendFileSync(file, `${method} ${params?.name ?? params?.requestId ?? ""}\n`)
  const result = id === undefined ? undefined : answers[method]?.(params)
  if (result !== undefined) send({ id, result })
})
process.stdin.once("end", () => process.exit())
