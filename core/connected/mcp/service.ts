import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { z } from "zod"
import { asInvalid, type Issue, traced, type WorkspaceScope } from "../../platform/kernel/index.js"
import { openSecret } from "../../platform/secrets/index.js"
import {
  type ApprovalPolicy,
  type McpServer,
  type ToolEffect,
  WorkspaceStore
} from "../../platform/workspace/index.js"
import { cleanSchema, foreignDescription, isSmall, withoutPatterns } from "./foreign-text.js"
import { McpClient, McpFailed, type McpTarget } from "./store.js"
import { agentToolName, serverOfTool } from "./tool-name.js"

/** A tool of an MCP server that the workspace allows. */
export interface McpTool {
  /** `server__tool`, in the characters that providers take. */
  readonly name: string
  readonly effect: ToolEffect
  /** Null: what the effect asks for. */
  readonly approval: ApprovalPolicy | null
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

/**
 * Returns the allowed tools of the enabled servers; with `names` only those, and only their servers are asked. A tool
 * that its server does not offer is left out. A server that cannot be reached has its tools listed without their own
 * descriptions: a call says what is wrong.
 */
export const mcpTools = traced("mcp.tools")(function* (
  workspace: WorkspaceScope,
  names?: ReadonlySet<string>
) {
  const { settings } = yield* (yield* WorkspaceStore).get(workspace)
  const found = yield* Effect.forEach(
    Object.entries(settings.mcpServers),
    ([server, config]) => toolsOf(workspace, server, config, names),
    { concurrency: 8 }
  )
  return found.flat()
})

const toolsOf = (
  workspace: WorkspaceScope,
  server: string,
  config: McpServer,
  names: ReadonlySet<string> | undefined
) =>
  Effect.gen(function* () {
    const wanted = Object.entries(config.tools).filter(
      ([tool]) => names === undefined || names.has(agentToolName(server, tool, config))
    )
    if (!config.enabled || wanted.length === 0) return []
    const offered = yield* Effect.either(offeredBy(workspace, server, config))
    for (const [tool] of wanted) {
      const problem = Either.isRight(offered) ? offered.right.leftOut.get(tool) : undefined
      if (problem !== undefined)
        yield* Effect.logWarning(`The tool ${tool} of the MCP server "${server}" is left out: ${problem}`)
    }
    return wanted.flatMap(([tool, { approval, effect }]): ReadonlyArray<McpTool> => {
      const base = { name: agentToolName(server, tool, config), approval, effect }
      if (Either.isLeft(offered))
        return [
          {
            ...base,
            description: `A tool of the MCP server "${server}", which could not be reached when its tools were listed.`,
            inputSchema: anyObject
          }
        ]
      const own = offered.right.tools.find(({ name }) => name === tool)
      return own === undefined
        ? []
        : [
            {
              ...base,
              description: foreignDescription(server, own.description),
              inputSchema: cleanSchema(own.inputSchema)
            }
          ]
    })
  })

const anyObject = { type: "object" }

const offeredBy = (workspace: WorkspaceScope, name: string, server: McpServer) =>
  Effect.flatMap(targetOf(workspace, name, server), (target) =>
    Effect.flatMap(McpClient, (client) => client.tools(target))
  )

const Credential = z.record(z.string(), z.string())

const targetOf = (workspace: WorkspaceScope, name: string, server: McpServer) =>
  Effect.gen(function* () {
    const { secret } = server
    if (secret === null) return { workspace, name, server, credential: null } satisfies McpTarget
    const opened = yield* openSecret(workspace, secret)
    const credential = Redacted.make(Credential.parse(JSON.parse(Redacted.value(opened))))
    return { workspace, name, server, credential } satisfies McpTarget
  }).pipe(
    Effect.catchTag(
      "SecretsUnavailable",
      () =>
        new McpFailed({
          code: "mcp_unreachable",
          message: `The credential of the MCP server "${name}" cannot be opened: set it again.`
        })
    )
  )

/** The server and the rule of an allowed tool as the settings have them now; null where it is not allowed any more. */
const allowedTool = (workspace: WorkspaceScope, name: string) =>
  Effect.map(
    Effect.flatMap(WorkspaceStore, (store) => store.get(workspace)),
    ({ settings }) => {
      const server = serverOfTool(name)
      const config = Object.hasOwn(settings.mcpServers, server) ? settings.mcpServers[server] : undefined
      if (config?.enabled !== true) return null
      const found = Object.entries(config.tools).find(
        ([tool]) => agentToolName(server, tool, config) === name
      )
      return found === undefined ? null : { server, tool: found[0], config, rule: found[1] }
    }
  )

/** Returns what is wrong with arguments by the schema of the server; nothing where it cannot be asked. */
export const checkMcpArguments = (workspace: WorkspaceScope, name: string, given: unknown) =>
  Effect.gen(function* () {
    if (!Predicate.isRecord(given))
      return [{ path: [], code: "invalid_type", message: "Expected an object." }]
    const found = yield* allowedTool(workspace, name)
    if (found === null) return []
    const offered = yield* Effect.either(offeredBy(workspace, found.server, found.config))
    const own = Either.isLeft(offered)
      ? undefined
      : offered.right.tools.find((one) => one.name === found.tool)
    return own === undefined ? [] : issuesOf(own.inputSchema, given)
  })

const issuesOf = (schema: Readonly<Record<string, unknown>>, given: unknown): ReadonlyArray<Issue> => {
  const read = schemaOf(schema)?.safeParse(given)
  return read === undefined || read.success ? [] : asInvalid(read.error).issues
}

/** A schema that cannot be read checks nothing here; its server checks too. */
const schemaOf = (schema: Readonly<Record<string, unknown>>): z.ZodType | undefined => {
  if (!isSmall(schema)) return undefined
  try {
    return z.fromJSONSchema(withoutPatterns(schema))
  } catch {
    return undefined
  }
}

/** Calls an allowed tool. What the settings say at this moment counts, also for a run that began before. */
export const callMcpTool = traced("mcp.call")(function* (
  workspace: WorkspaceScope,
  name: string,
  given: unknown
) {
  const found = yield* allowedTool(workspace, name)
  if (found === null)
    return yield* new McpFailed({ code: "mcp_failed", message: `The tool ${name} is not allowed any more.` })
  const target = yield* targetOf(workspace, found.server, found.config)
  const callArguments = z.record(z.string(), z.unknown()).safeParse(given)
  if (!callArguments.success)
    return yield* new McpFailed({ code: "invalid_arguments", message: "Expected an object." })
  return yield* (yield* McpClient).call(target, found.tool, callArguments.data, found.rule.effect)
})
