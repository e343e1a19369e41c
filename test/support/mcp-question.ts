import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import type { Progress } from "@modelcontextprotocol/sdk/types.js"

/** Asks by MCP, with what was told of the progress so far, and the means to cancel. */
export const askWatched = (client: Client, question: string) => {
  const seen: Array<Progress> = []
  const cancel = new AbortController()
  const pending = client.callTool({ name: "svc_query", arguments: { question } }, undefined, {
    signal: cancel.signal,
    onprogress: (progress) => seen.push(progress)
  })
  return { cancel, pending, seen }
}
