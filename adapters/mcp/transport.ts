import { setTimeout } from "node:timers/promises"
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import * as Redacted from "effect/Redacted"
import type { McpTarget } from "../../core/connected/mcp/index.js"
import { foreignJsonBounds } from "../../core/platform/kernel/index.js"
import { guardedFetch } from "../models/guarded-fetch.js"
import { BoundedLines } from "./bounded-lines.js"
import { type McpRules, privateAddress } from "./rules.js"

/** Most bytes of one message of a server. */
const messageMaxBytes = 4 * 1024 * 1024

/** How long a server may take to end a session. */
const endMs = 1_000

/** A connection to a server before it is used, and what ends its session there. */
export interface Way {
  readonly transport: Transport
  readonly end: () => Promise<void>
}

/** Returns the way to a server. The credential goes nowhere else. */
export const transportOf = async ({ credential, server }: McpTarget, rules: McpRules): Promise<Way> => {
  const secrets = credential === null ? {} : { ...Redacted.value(credential) }
  if (server.transport === "stdio") {
    const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio")
    const { deserializeMessage } = await import("@modelcontextprotocol/client")
    const transport = new StdioClientTransport({
      command: server.command,
      args: [...server.args],
      env: secrets,
      // Ignored, because the output of a server may contain its credential.
      stderr: "ignore"
    })
    // The SDK's own buffer parses whatever fits into it.
    Reflect.set(transport, "_readBuffer", new BoundedLines(messageMaxBytes, deserializeMessage))
    return { transport, end: async () => undefined }
  }
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client")
  const send = guardedFetch({
    ...rules,
    responseMaxBytes: messageMaxBytes,
    jsonBounds: foreignJsonBounds,
    refusal: privateAddress
  })
  const calls = new Map<unknown, AbortController>()
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    requestInit: { headers: secrets },
    fetch: async (input, init) => {
      // No stream is opened for unsolicited messages of the server, because the client ignores them.
      if (init?.method === "GET") return new Response(null, { status: 405 })
      const id = requestIdOf(init?.body)
      const ended = id === undefined ? undefined : calls.get(id)?.signal
      const signals = [init?.signal, ended].filter((one) => one instanceof AbortSignal)
      return send(input, { ...init, signal: AbortSignal.any(signals) })
    }
  })
  return {
    transport: abortedByCancellation(transport, calls),
    end: () => Promise.race([transport.terminateSession(), setTimeout(endMs, undefined, { ref: false })])
  }
}

/** The id of the request that a body of the SDK holds; undefined for notifications and bodies that are long. */
const requestIdOf = (body: unknown): unknown => {
  if (typeof body !== "string") return undefined
  const message: unknown = JSON.parse(body)
  return typeof message === "object" && message !== null && "id" in message ? message.id : undefined
}

/**
 * Ends the request of a call that is cancelled once the server was told, because a server that goes on would keep its
 * connection busy.
 */
const abortedByCancellation = (transport: Transport, calls: Map<unknown, AbortController>): Transport => {
  const { send } = transport
  const { onmessage } = transport
  const forget = (message: JSONRPCMessage) => {
    if ("id" in message && !("method" in message)) calls.delete(message.id)
  }
  transport.onmessage = (message, extra) => {
    forget(message)
    onmessage?.(message, extra)
  }
  transport.send = async (message, options) => {
    const isRequest = "id" in message && "method" in message
    if (isRequest) calls.set(message.id, new AbortController())
    await send.call(transport, message, options).catch((error: unknown) => {
      if (isRequest) calls.delete(message.id)
      throw error
    })
    if ("method" in message && message.method === "notifications/cancelled") {
      const id = message.params?.["requestId"]
      calls.get(id)?.abort()
      calls.delete(id)
    }
  }
  return transport
}
