import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Redacted } from "effect/Redacted"
import type { WorkspaceScope } from "../../platform/kernel/index.js"
import type { McpServer, ToolEffect } from "../../platform/workspace/index.js"

/** A server to reach, with the headers or variables that its owner sealed. */
export interface McpTarget {
  readonly workspace: WorkspaceScope
  readonly name: string
  readonly server: McpServer
  readonly credential: Redacted<Readonly<Record<string, string>>> | null
}

/** The tools of a server, and those that it describes in a way that nobody can call, each with what is wrong. */
export interface OfferedTools {
  readonly tools: ReadonlyArray<OfferedTool>
  readonly leftOut: ReadonlyMap<string, string>
}

/** Why the host allows no server: the setting that is at fault, and a sentence without its full stop. */
export interface McpRefusal {
  readonly field: ReadonlyArray<string>
  readonly message: string
}

/** A tool as its server describes it. Every text is the server's. */
export interface OfferedTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>
}

/** Why a call has no result. `outcome_unknown`: the call was sent and may have been carried out. */
export type McpFailure =
  | "mcp_unreachable"
  | "mcp_failed"
  | "invalid_arguments"
  | "timeout"
  | "outcome_unknown"

/** A server could not be reached, or refused, failed or did not answer. */
export class McpFailed extends Data.TaggedError("McpFailed")<{
  readonly code: McpFailure
  readonly message: string
}> {}

/**
 * A host implements it that reaches MCP servers in another way than by HTTP and commands. Speaks with MCP servers.
 * Connections are kept for a while and opened again when they broke.
 */
export class McpClient extends Context.Tag("kanon/McpClient")<
  McpClient,
  {
    /** Why the host allows no server with such a credential; null where it does. Opens no connection. */
    readonly refusalOf: (server: McpServer, credentialNames: ReadonlyArray<string>) => McpRefusal | null
    /** The tools that the server offers at present, or offered within a minute without telling of a change. */
    readonly tools: (target: McpTarget) => Effect.Effect<OfferedTools, McpFailed>
    /**
     * Calls a tool; the result is JSON of limited size. A `write` that may have reached the server is never sent again.
     */
    readonly call: (
      target: McpTarget,
      tool: string,
      given: Readonly<Record<string, unknown>>,
      effect: ToolEffect
    ) => Effect.Effect<unknown, McpFailed>
  }
>() {}
