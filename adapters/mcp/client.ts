import type { CallToolResult, Client } from "@modelcontextprotocol/client"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Hash from "effect/Hash"
import * as RcMap from "effect/RcMap"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { z } from "zod"
import { McpClient, McpFailed, type McpTarget, type OfferedTools } from "../../core/connected/mcp/index.js"
import { serviceLayer } from "../../core/platform/kernel/index.js"
import type { ToolEffect } from "../../core/platform/workspace/index.js"
import { packageVersion } from "../host/package-version.js"
import { type McpRules, refusal } from "./rules.js"
import { listTools } from "./tool-list.js"
import { transportOf } from "./transport.js"

/** How long a connection is kept that nobody uses. */
const idleTime = "60 seconds"
/** How long a list of tools is used again. */
const listTime = "60 seconds"
/** How long connecting and listing may take. */
const connectMs = 10_000
interface Connection {
  readonly client: Client
  readonly isOpen: () => boolean
  readonly tools: Effect.Effect<OfferedTools, McpFailed | SessionGone>
}

/** One connection for each server of a workspace, and another one once its settings or its credential change. */
class ConnectionKey implements Equal.Equal {
  private readonly id: string
  constructor(readonly target: McpTarget) {
    const { name, server, workspace } = target
    const address = server.transport === "http" ? [server.url] : [server.command, server.args]
    this.id = JSON.stringify([workspace, name, address, server.secret])
  }
  [Equal.symbol](other: Equal.Equal): boolean {
    return other instanceof ConnectionKey && other.id === this.id
  }
  [Hash.symbol](): number {
    return Hash.string(this.id)
  }
}

/** The client of MCP servers over stdio and Streamable HTTP. */
export const mcpClient = (rules: McpRules) =>
  serviceLayer(
    McpClient,
    Effect.gen(function* () {
      const connections = yield* RcMap.make({
        lookup: ({ target }: ConnectionKey) => connect(target, rules),
        idleTimeToLive: idleTime
      })

      const connection = (key: ConnectionKey) =>
        Effect.flatMap(RcMap.get(connections, key), (found) =>
          found.isOpen()
            ? Effect.succeed(found)
            : Effect.zipRight(RcMap.invalidate(connections, key), RcMap.get(connections, key))
        )

      /** Uses a connection; one that failed is not used again. A call that no session took is sent once more. */
      const within = <A>(
        target: McpTarget,
        use: (found: Connection) => Effect.Effect<A, McpFailed | SessionGone>
      ): Effect.Effect<A, McpFailed> => {
        const key = new ConnectionKey(target)
        return Effect.scoped(Effect.flatMap(connection(key), use)).pipe(
          Effect.tapError((failed) =>
            failed._tag === "McpFailed" && isAnswer(failed) ? Effect.void : RcMap.invalidate(connections, key)
          ),
          Effect.retry({ times: 1, while: ({ _tag }) => _tag === "SessionGone" }),
          Effect.catchTag("SessionGone", ({ failure }) => failure)
        )
      }

      return {
        refusalOf: (server, credentialNames) => refusal(server, credentialNames, rules),
        tools: (target) => within(target, ({ tools }) => tools),
        call: (target, tool, given, effect) =>
          within(target, ({ client, tools }) =>
            Effect.gen(function* () {
              // A server without sessions may want arguments in headers too, which the tool's schema names.
              const offered = isModern(client) ? (yield* tools).tools : []
              const inputSchema = offered.find(({ name }) => name === tool)?.inputSchema
              const result = yield* Effect.tryPromise({
                try: (signal) =>
                  callTool(client, { name: tool, inputSchema }, given, {
                    signal,
                    timeout: target.server.timeoutMs
                  }),
                catch: (error) => failureOf(target.name, effect, error)
              })
              return yield* outcomeOf(target.name, result)
            })
          ).pipe(
            Effect.retry({
              times: 1,
              while: ({ code }) => code === "mcp_unreachable" && effect !== "write"
            })
          )
      }
    })
  )

/** Whether the server itself said so: its connection is as good as before. */
const isAnswer = ({ code }: McpFailed): boolean => code === "invalid_arguments" || code === "mcp_failed"

const connect = (
  target: McpTarget,
  rules: McpRules
): Effect.Effect<Connection, McpFailed | SessionGone, Scope.Scope> =>
  Effect.gen(function* () {
    const { credential, server } = target
    const why = refusal(server, credential === null ? [] : Object.keys(Redacted.value(credential)), rules)
    if (why !== null) return yield* new McpFailed({ code: "mcp_unreachable", message: `${why.message}.` })
    const { client, isOpen, onToolsChanged } = yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: () => open(target, rules),
        catch: (error) => failureOf(target.name, "read_only", error)
      }),
      ({ close }) => Effect.promise(close)
    )
    const listed = Effect.tryPromise({
      try: (signal) => listTools(client, signal),
      catch: (error) => failureOf(target.name, "read_only", error)
    })
    const [tools, forget] = yield* Effect.cachedInvalidateWithTTL(listed, listTime)
    onToolsChanged(() => Effect.runSync(forget))
    return { client, isOpen, tools }
  })

/**
 * Connects with a handshake as servers of any age understand it, and where a server refuses that, as one of revision
 * 2026-07-28 does that serves no other, without one.
 */
const open = async (target: McpTarget, rules: McpRules) => {
  try {
    return await openIn(target, rules, "legacy")
  } catch (refused) {
    if (!isTooOld(refused)) throw refused
    return openIn(target, rules, { pin: statelessRevision }).catch(() => {
      throw refused
    })
  }
}

/** The first revision whose requests carry their version and need no session. */
const statelessRevision = "2026-07-28"

const isModern = (client: Client): boolean =>
  (client.getNegotiatedProtocolVersion() ?? "") >= statelessRevision

/** Loads the SDK with the first connection: most processes need it never. */
const openIn = async (target: McpTarget, rules: McpRules, mode: "legacy" | { readonly pin: string }) => {
  const { Client: SdkClient } = await import("@modelcontextprotocol/client")
  const { end, transport } = await transportOf(target, rules)
  const client = new SdkClient(
    { name: "kanon", version: packageVersion },
    { capabilities: {}, versionNegotiation: { mode }, inputRequired: { autoFulfill: false } }
  )
  let isOpen = true
  let toolsChanged = () => {}
  client.setNotificationHandler("notifications/tools/list_changed", () => toolsChanged())
  client.onclose = () => {
    isOpen = false
  }
  const close = async () => {
    await end().catch(() => undefined)
    await client.close().catch(() => undefined)
  }
  await client.connect(transport, { timeout: connectMs }).catch(async (error: unknown) => {
    await close()
    throw error
  })
  return {
    client,
    isOpen: () => isOpen,
    onToolsChanged: (listener: () => void) => {
      toolsChanged = listener
    },
    close
  }
}

/** Calls a tool without its output schema, so that nothing of a stranger's is compiled. */
const callTool = (
  client: Client,
  { inputSchema, name }: { readonly name: string; readonly inputSchema: unknown },
  given: Readonly<Record<string, unknown>>,
  options: { readonly signal: AbortSignal; readonly timeout: number }
): Promise<CallToolResult> => {
  const params = { name, arguments: { ...given } }
  const schema = InputSchema.safeParse(inputSchema)
  return schema.success
    ? client.callTool(params, { ...options, toolDefinition: { name, inputSchema: schema.data } })
    : client.request({ method: "tools/call", params }, options)
}

const InputSchema = z.looseObject({ type: z.literal("object") }).catchall(z.json())

const outcomeOf = (server: string, result: CallToolResult): Effect.Effect<unknown, McpFailed> => {
  const output = outputOf(result)
  if (result.isError !== true) return Effect.succeed(output)
  const text = typeof output === "string" ? output : JSON.stringify(output)
  return new McpFailed({
    code: "mcp_failed",
    message: `The MCP server "${server}" answered: ${text.slice(0, 4_000)}`
  })
}

/**
 * Returns the result of a call as JSON for a model: the structured content where there is one, else the texts. Pictures
 * and sounds are named and left out.
 */
const outputOf = ({ content, structuredContent }: CallToolResult): unknown => {
  if (structuredContent !== undefined) return structuredContent
  const blocks = content.map(blockOf)
  const [only] = blocks
  return blocks.length === 1 ? only : blocks
}

const blockOf = (block: CallToolResult["content"][number]): unknown => {
  switch (block.type) {
    case "text":
      return block.text
    case "image":
    case "audio":
      return { type: block.type, mimeType: block.mimeType, omitted: true }
    case "resource":
      return "text" in block.resource
        ? { uri: block.resource.uri, text: block.resource.text }
        : { uri: block.resource.uri, omitted: true }
    case "resource_link":
      return { uri: block.uri, name: block.name }
  }
}

/** Codes of JSON-RPC and of MCP. */
const invalidParams = -32602
const methodNotFound = -32601
const unknownVersion = -32022
/** The code that is left to servers for a session that they do not know. */
const serverError = -32000

/** Most characters of a server's message. */
const messageChars = 1_000

/** The server does not know the session any more and carried nothing out; `failure` is what a second time means. */
class SessionGone extends Data.TaggedError("SessionGone")<{ readonly failure: McpFailed }> {}

/** Whether a server refuses a handshake because its protocol has none. */
const isTooOld = (error: unknown): boolean => {
  const code = answeredBy(error)?.code
  return code === unknownVersion || code === methodNotFound
}

/** The JSON-RPC error that a server answered with, whatever the status of its response. */
const answeredBy = (error: unknown): { readonly code: number; readonly message: string } | null => {
  const { code, message, status } = fieldsOf(error)
  return typeof code === "number" ? { code, message } : status === undefined ? null : errorInBody(message)
}

/**
 * Returns why a call has no result. The SDK's errors are told apart by their fields, because it is loaded with the first
 * connection only. What may have reached the server and could have changed something is `outcome_unknown`.
 */
const failureOf = (server: string, effect: ToolEffect, error: unknown): McpFailed | SessionGone => {
  const { code, message, name, status } = fieldsOf(error)
  const failed = (failure: McpFailed["code"], said: string) =>
    new McpFailed({ code: failure, message: `The MCP server "${server}" ${said}.` })
  const unknown = "whether the call was carried out is not known"
  if (code === "REQUEST_TIMEOUT")
    return effect === "write"
      ? failed("outcome_unknown", `did not answer in time; ${unknown}`)
      : failed("timeout", "did not answer in time")
  if (code === "UNSUPPORTED_RESULT_TYPE")
    return failed("mcp_failed", "asks for input, which nobody can give here")
  if (code === "INVALID_RESULT") return failed("mcp_failed", `answered: ${message.slice(0, messageChars)}`)
  const answered = answeredBy(error)
  const quoted = () =>
    failed(
      answered?.code === invalidParams ? "invalid_arguments" : "mcp_failed",
      answered === null
        ? `refused the call (status ${status})`
        : `answered: ${wordsOf(answered).slice(0, messageChars)}`
    )
  if (answered !== null && (status === undefined || status >= 500)) return quoted()
  if (status === 404 && answered?.code !== methodNotFound)
    return new SessionGone({ failure: failed("mcp_unreachable", "cannot be reached") })
  if (status === 401 || status === 403)
    return failed("mcp_failed", `refused the credential (status ${status})`)
  if (status !== undefined && status >= 400 && status < 500) {
    // Servers answer 400 as well where they do not know the session, with the code that is left to them or none.
    return status === 400 && (answered === null || answered.code === serverError)
      ? new SessionGone({ failure: quoted() })
      : quoted()
  }
  if (effect === "write") return failed("outcome_unknown", `broke the connection; ${unknown}`)
  const isOurs = name === "ConnectionFailed" || name === "RequestRefused"
  return failed("mcp_unreachable", isOurs ? `cannot be reached: ${message}` : "cannot be reached")
}

const ErrorBody = z.object({ error: z.object({ code: z.int(), message: z.string() }) })

/** The JSON-RPC error that a refused request was answered with; the SDK ends its message with the body. */
const errorInBody = (message: string): { readonly code: number; readonly message: string } | null => {
  const start = message.indexOf("{")
  if (start < 0) return null
  try {
    return ErrorBody.safeParse(JSON.parse(message.slice(start))).data?.error ?? null
  } catch {
    return null
  }
}

/** An error of JSON-RPC as a person reads it. */
const wordsOf = ({ code, message }: { readonly code: number; readonly message: string }): string =>
  `MCP error ${code}: ${message}`

const fieldsOf = (error: unknown) => ({
  code: typeof error === "object" && error !== null && "code" in error ? error.code : undefined,
  status:
    typeof error === "object" && error !== null && "status" in error && typeof error.status === "number"
      ? error.status
      : undefined,
  message: error instanceof Error ? error.message : String(error),
  name: error instanceof Error ? error.name : ""
})
