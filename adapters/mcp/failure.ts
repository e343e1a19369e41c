import * as Data from "effect/Data"
import { McpFailed } from "../../core/mcp/index.js"
import type { ToolEffect } from "../../core/workspace/index.js"

/** Codes of JSON-RPC and of the SDK. */
const invalidParams = -32602
const connectionClosed = -32000
const requestTimeout = -32001

/** Most characters of a server's message. */
const messageChars = 1_000

/** The server does not know the session any more and carried nothing out. */
export class SessionGone extends Data.TaggedError("SessionGone") {}

/**
 * Returns why a call has no result. The SDK's errors are told apart by their fields, because it is loaded with the first
 * connection only. What may have reached the server and could have changed something is `outcome_unknown`.
 */
export const failureOf = (server: string, effect: ToolEffect, error: unknown): McpFailed | SessionGone => {
  const { code, message, name } = fieldsOf(error)
  const failed = (failure: McpFailed["code"], said: string) =>
    new McpFailed({ code: failure, message: `The MCP server "${server}" ${said}.` })
  const unknown = "whether the call was carried out is not known"
  if (name === "McpError" && code === requestTimeout)
    return effect === "write"
      ? failed("outcome_unknown", `did not answer in time; ${unknown}`)
      : failed("timeout", "did not answer in time")
  if (name === "McpError" && code !== connectionClosed)
    return failed(
      code === invalidParams ? "invalid_arguments" : "mcp_failed",
      `answered: ${message.slice(0, messageChars)}`
    )
  if (code === 404) return new SessionGone()
  if (code === 401 || code === 403) return failed("mcp_failed", `refused the credential (status ${code})`)
  if (typeof code === "number" && code > 400 && code < 500)
    return failed("mcp_failed", `refused the call (status ${code})`)
  if (effect === "write") return failed("outcome_unknown", `broke the connection; ${unknown}`)
  const isOurs = name === "ConnectionFailed" || name === "RequestRefused"
  return failed("mcp_unreachable", isOurs ? `cannot be reached: ${message}` : "cannot be reached")
}

const fieldsOf = (error: unknown) => ({
  code: typeof error === "object" && error !== null && "code" in error ? error.code : undefined,
  message: error instanceof Error ? error.message : String(error),
  name: error instanceof Error ? error.name : ""
})
