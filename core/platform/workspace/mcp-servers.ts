import { z } from "zod"
import { asInvalid, type Issue, SecretId, Text } from "../kernel/index.js"
import { ProviderUrl } from "../models/index.js"

/** Effect of a tool, which decides whether a call may be retried. */
export const ToolEffect = z.enum(["read_only", "idempotent", "write"])
export type ToolEffect = z.infer<typeof ToolEffect>
/** Whether a person decides about each call of a tool. */
export const ApprovalPolicy = z.enum(["always", "never"])
export type ApprovalPolicy = z.infer<typeof ApprovalPolicy>

/** Most MCP servers of a workspace, and most allowed tools of one server. */
const serversMax = 32
const toolsMax = 128

/** Agents know a tool as `server__tool`: without an underscore in the server's name there is one way to read it. */
const ServerName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,30}$/, "Expected 1 to 31 lower-case letters, digits and hyphens.")
/** The name of a tool as its server has it. */
const ToolName = z
  .string()
  .regex(/^[^\s\p{C}]{1,128}$/u, "Expected the name of a tool: at most 128 characters without blanks.")

/** How an allowed tool is treated. What the server says about its effect does not count. */
const AllowedTool = z.object({
  effect: ToolEffect.default("write"),
  approval: ApprovalPolicy.nullable()
    .default(null)
    .describe("Null: a person decides about each call of a `write`, and about no other.")
})

const common = {
  enabled: z.boolean().default(true),
  tools: z
    .record(ToolName, AllowedTool)
    .refine((tools) => Object.keys(tools).length <= toolsMax, `At most ${toolsMax} tools.`)
    .default({})
    .describe("The tools that agents may be given, by the names of the server. There are no others."),
  timeoutMs: z.int().min(100).max(600_000).default(60_000).describe("How long one call may take."),
  /** Id of the sealed HTTP headers or environment variables, not secret itself. */
  secret: SecretId.nullable().default(null)
}

const HttpServer = z.object({ transport: z.literal("http"), url: ProviderUrl, ...common })
const StdioServer = z.object({
  transport: z.literal("stdio"),
  command: Text.min(1).max(1000),
  args: z.array(Text.max(4000)).max(100).default([]),
  ...common
})

/** An MCP server whose tools agents may be given. */
export const McpServer = z.discriminatedUnion("transport", [HttpServer, StdioServer])
export type McpServer = z.infer<typeof McpServer>

/** The MCP servers of a workspace, by name. */
export const McpServers = z.record(ServerName, McpServer)
export type McpServers = z.infer<typeof McpServers>

const credentialField = { hasCredential: z.boolean() }
/** A server in readable form: of a credential only whether there is one. */
export const ReadableMcpServers = z.record(
  z.string(),
  z.union([
    HttpServer.omit({ secret: true }).extend(credentialField),
    StdioServer.omit({ secret: true }).extend(credentialField)
  ])
)

/** Returns the servers in readable form. */
export const readableMcpServers = (servers: McpServers): z.infer<typeof ReadableMcpServers> =>
  Object.fromEntries(
    Object.entries(servers).map(([name, { secret, ...server }]) => [
      name,
      { ...server, hasCredential: secret !== null }
    ])
  )

/** Returns the servers without the ids of their credentials, which never leave the host. */
export const mcpServersWithoutSecrets = (servers: McpServers): McpServers =>
  Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, { ...server, secret: null }]))

/** Headers of requests, or variables of the environment: names and values. */
const Credential = z
  .record(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,127}$/, "Expected the name of a header or a variable."),
    z
      .string()
      .min(1)
      .max(4096)
      .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, "A credential is made of visible ASCII characters.")
  )
  .refine((entries) => Object.keys(entries).length <= 32, "At most 32 entries.")

const ServerChange = z.object({
  transport: z.enum(["http", "stdio"]).optional(),
  url: ProviderUrl.optional().describe("Of a server over HTTP."),
  command: Text.min(1).max(1000).optional().describe("Of a server over stdio, which the host has to allow."),
  args: z.array(Text.max(4000)).max(100).optional(),
  enabled: z.boolean().optional(),
  tools: z
    .record(
      ToolName,
      z.object({ effect: ToolEffect.optional(), approval: ApprovalPolicy.nullable().optional() }).nullable()
    )
    .optional()
    .describe("Tools that agents may be given, merged by name; null takes one out."),
  timeoutMs: z.int().min(100).max(600_000).optional(),
  credential: Credential.nullable()
    .optional()
    .describe(
      "HTTP headers, or environment variables of a server over stdio. Write-only; null erases them. They are erased too when the address or the command changes without new ones."
    )
})

/** A change of the MCP servers of a workspace: what is left out stays, null removes a server. */
export const McpServersChange = z
  .record(ServerName, ServerChange.nullable())
  .describe("MCP servers whose tools agents may be given, by name; null removes one.")
export type McpServersChange = z.infer<typeof McpServersChange>

/** A server after a change, and what happens to its credential. */
export interface ChangedServer {
  readonly name: string
  /** The server without the id of a new credential, which exists only once it is stored; null: removed. */
  readonly server: McpServer | null
  readonly credential: "keep" | "erase" | { readonly set: string }
  /** Names of the headers or variables of a new credential. */
  readonly credentialNames: ReadonlyArray<string>
}

/**
 * Returns the servers that a change affects, and what is wrong with it. With another address or command the old
 * credential is erased unless a new one is given, so that it is never sent where its owner did not send it.
 */
export const changedServers = (
  standing: McpServers,
  change: McpServersChange
): { readonly changed: ReadonlyArray<ChangedServer>; readonly issues: ReadonlyArray<Issue> } => {
  const changed: Array<ChangedServer> = []
  const issues: Array<Issue> = []
  const names = new Set(Object.keys(standing))
  for (const [name, given] of Object.entries(change)) {
    if (given === null) {
      names.delete(name)
      changed.push({ name, server: null, credential: "erase", credentialNames: [] })
      continue
    }
    names.add(name)
    const before = standing[name]
    const { credential, ...fields } = given
    const read = McpServer.safeParse({ ...before, ...fields, tools: mergedTools(before?.tools ?? {}, given) })
    if (!read.success) {
      const wrong = asInvalid(read.error).issues
      issues.push(...wrong.map((issue) => ({ ...issue, path: ["mcpServers", name, ...issue.path] })))
      continue
    }
    const server = read.data
    const isMoved = before !== undefined && targetOf(before) !== targetOf(server)
    const step = credential != null ? { set: JSON.stringify(credential) } : null
    const action = step ?? (credential === null || isMoved ? "erase" : "keep")
    const secret = action === "keep" ? (before?.secret ?? null) : null
    changed.push({
      name,
      server: { ...server, secret },
      credential: action,
      credentialNames: Object.keys(credential ?? {})
    })
  }
  if (names.size > serversMax)
    issues.push({ path: ["mcpServers"], code: "too_big", message: `At most ${serversMax} servers.` })
  return { changed, issues }
}

const mergedTools = (standing: McpServer["tools"], { tools = {} }: z.infer<typeof ServerChange>) =>
  Object.fromEntries(
    Object.entries({ ...standing, ...tools }).flatMap(([name, tool]) =>
      tool === null ? [] : [[name, { ...standing[name], ...tool }]]
    )
  )

/** Returns the address or command for which a credential was given. */
const targetOf = (server: McpServer): string =>
  server.transport === "http"
    ? JSON.stringify(["http", server.url])
    : JSON.stringify(["stdio", server.command, server.args])
