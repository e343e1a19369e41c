import { setTimeout } from "node:timers/promises"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import * as Redacted from "effect/Redacted"
import type { McpTarget } from "../../core/mcp/index.js"
import type { AddressRules } from "../host/addresses.js"
import { guardedFetch } from "../models/guarded-fetch.js"

/** Most bytes of one message of a server. */
const messageMaxBytes = 4 * 1024 * 1024

/** Why the host allows no server at an address. */
export const privateAddress =
  "The address is in a private network, and this host allows MCP servers in public networks only"

/** How long a server may take to end a session. */
const endMs = 1_000

/** A connection to a server before it is used, and what ends its session there. */
export interface Way {
  readonly transport: Transport
  readonly end: () => Promise<void>
}

/** Returns the way to a server. The credential goes nowhere else. */
export const transportOf = async ({ credential, server }: McpTarget, rules: AddressRules): Promise<Way> => {
  const secrets = credential === null ? {} : { ...Redacted.value(credential) }
  if (server.transport === "stdio") {
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js")
    const transport = new StdioClientTransport({
      command: server.command,
      args: [...server.args],
      env: secrets,
      // What a server writes there may hold its credential.
      stderr: "ignore",
      maxBufferSize: messageMaxBytes
    })
    return { transport, end: async () => undefined }
  }
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js")
  const send = guardedFetch({ ...rules, responseMaxBytes: messageMaxBytes, refusal: privateAddress })
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    requestInit: { headers: secrets },
    // Nobody listens to what a server says unasked: no stream is opened for it.
    fetch: async (input, init) =>
      init?.method === "GET" ? new Response(null, { status: 405 }) : send(input, init)
  })
  return {
    // The SDK's transport does not fit its own type where absent and undefined fields are told apart.
    transport: transport as Transport,
    end: () => Promise.race([transport.terminateSession(), setTimeout(endMs, undefined, { ref: false })])
  }
}
