import { McpServer } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { z } from "zod"

// An MCP server over stdio for tests that serves revision 2026-07-28 and no other.

serveStdio(
  () => {
    const server = new McpServer({ name: "modern", version: "1.0.0" })
    server.registerTool("add", { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => ({
      content: [{ type: "text", text: String(a + b) }]
    }))
    return server
  },
  { legacy: "reject" }
)
