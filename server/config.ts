import { readFileSync } from "node:fs"
import { z } from "zod"
import { commandsIn } from "../adapters/mcp/rules.js"
import { KeyScope, rolePresets, type ScopesByRole } from "../core/platform/identity/index.js"
import { defaultMaintenanceIntervals } from "../core/upkeep/maintenance/index.js"

// Configuration of the server: the environment variables, their types and defaults.

const Count = z.coerce.number().int().min(1)
const Interval = z.coerce.number().int().min(0)
const Listed = z
  .union([z.array(z.string()), z.string().transform((text) => text.split(","))])
  .transform((words) => words.map((word) => word.trim()).filter((word) => word !== ""))
const Commands = z.union([
  z.array(z.union([z.string(), z.array(z.string())])),
  z.string().transform(commandsIn)
])
const Truth = z.union([
  z.boolean(),
  z.enum(["1", "0", "true", "false"]).transform((word) => word === "1" || word === "true")
])

/** Returns whether a URL contains a user or a password. */
const isBearing = (url: string): boolean => {
  const { password, username } = new URL(url)
  return username !== "" || password !== ""
}

/** A JSON object, as such in a file and as text in a variable. */
const jsonOr = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((given, context) => {
    if (typeof given !== "string") return given
    try {
      return JSON.parse(given)
    } catch {
      context.addIssue({ code: "custom", message: "It is not JSON." })
      return z.NEVER
    }
  }, schema)

const Oidc = z.strictObject({
  issuer: z
    .url({ protocol: /^https?$/ })
    .refine(
      (issuer) => !issuer.startsWith("http:") || isLoopback(new URL(issuer).hostname),
      "The issuer must be an https address: over plain HTTP, everybody on the way could sign in as anybody. Only a provider on this machine (localhost, 127.0.0.1, [::1]) may have an http address."
    ),
  clientId: z.string().min(1),
  clientSecret: z.string().min(1).optional(),
  claim: z.string().min(1).default("name"),
  createMembers: z.boolean().default(false),
  groups: z
    .strictObject({
      claim: z.string().min(1).default("groups"),
      admin: z.array(z.string()).default([]),
      member: z.array(z.string()).default([])
    })
    .optional()
})
/** A provider of identities. */
export type OidcConfig = z.output<typeof Oidc>

/**
 * Every setting of the server with default, bounds and description. Names of environment variables derive from these.
 */
export const ServerSettings = z.strictObject({
  host: z.string().min(1).default("127.0.0.1").describe("The address to listen on."),
  port: z.coerce.number().int().min(0).max(65_535).default(7420).describe("The port; 0 takes a free one."),
  origin: z.url().optional().describe("How clients reach the server, where it stands behind a proxy."),
  bodyLimitBytes: Count.default(10 * 1024 * 1024).describe("Largest request body."),
  bodiesLimitBytes: Count.default(64 * 1024 * 1024).describe(
    "Most bytes of request bodies that are read or served at once; a workspace has a quarter."
  ),
  bodyTimeoutMs: Count.default(30_000).describe("Longest time for a body to arrive."),
  headersTimeoutMs: Count.default(15_000).describe("Longest time for the headers of a request to arrive."),
  sendTimeoutMs: Count.default(30_000).describe(
    "Longest time in which a client takes nothing of its answer."
  ),
  shutdownMs: Count.default(6_000).describe("How long a stop waits for requests that are being served."),
  logLevel: z.enum(["debug", "info", "warning", "error"]).default("info").describe("What is logged."),
  mcpOrigins: Listed.default([]).describe("Origins of web pages that may call MCP."),
  mcpHosts: Listed.optional().describe(
    "Names by which MCP may be called. By default those of loopback and of origin when host is loopback, any otherwise."
  ),
  mcpSessionsMax: Count.default(1000).describe("Most MCP sessions at once."),
  mcpSignIn: Truth.default(true).describe(
    "Let people sign MCP clients in through the console, where it is served."
  ),
  builtInModels: Truth.default(true).describe(
    "Let the built-in models stand in for absent ones: without them and a chat model, questions are refused."
  ),
  privateModelAddresses: Truth.default(false).describe(
    "Let workspaces choose models in private networks, such as on this very machine."
  ),
  thesaurusFolder: z
    .string()
    .optional()
    .describe(
      "Folder of the thesaurus files that workspaces may name in policy.thesaurus; /usr/share/mythes otherwise."
    ),
  liveDataFolders: Listed.default([]).describe(
    "Folders below which SQLite files of live-data connectors may lie."
  ),
  privateDataAddresses: Truth.default(false).describe(
    "Let live-data connectors reach databases in private networks, such as on this very machine."
  ),
  mcpCommands: Commands.default([]).describe(
    "Command lines, each with all its arguments, that MCP servers of workspaces may be started with; as JSON where an argument has a comma or a blank."
  ),
  mcpEnvironment: Listed.default([]).describe(
    "Environment variables that workspaces may set for the programs of mcpCommands."
  ),
  privateConnectorAddresses: Truth.default(false).describe(
    "Let content connectors reach sources in private networks, such as on this very machine."
  ),
  sourceFolders: Listed.default([]).describe(
    "Folders below which sources of content connectors with a file: address may lie."
  ),
  otlpEndpoint: z
    .url({ protocol: /^https?$/ })
    .refine((url) => !isBearing(url), "Credentials belong into OTEL_EXPORTER_OTLP_HEADERS.")
    .optional()
    .describe(
      "The OpenTelemetry collector that takes traces over HTTP; OTEL_EXPORTER_OTLP_ENDPOINT by default."
    ),
  traceRatio: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe("The share of traces that is kept of those that begin here."),
  console: Truth.optional().describe(
    "Serve the console; kanon serve does by default, a server inside another application does not."
  ),
  consoleIdleMs: Count.default(12 * 3_600_000).describe("After so long without a request a session ends."),
  consoleSessionMs: Count.default(7 * 86_400_000).describe("How long a session lasts at most."),
  consoleInsecureCookie: Truth.default(false).describe(
    "Let browsers sign in over plain HTTP beyond this machine, where others may read along."
  ),
  consoleKeySignIn: Truth.optional().describe(
    "Let user keys sign in their owners; by default only while consoleOidc is not set."
  ),
  consoleOidc: jsonOr(Oidc)
    .optional()
    .describe("OpenID Connect: issuer, clientId, clientSecret, claim, createMembers, groups; JSON."),
  consoleScopes: jsonOr(
    z.strictObject({
      admin: z.array(KeyScope).optional(),
      curator: z.array(KeyScope).optional(),
      member: z.array(KeyScope).optional(),
      reader: z.array(KeyScope).optional()
    })
  )
    .default({})
    .describe(
      "What members may do in a workspace at most, by their role there, with the console or with keys that need their membership; JSON. By default every scope for admins, all but workspace:admin for curators, without reports:write for members, and what reads for readers."
    ),
  checkResponses: Truth.default(false).describe("Hold every response against its schema."),
  worker: Truth.default(true).describe("Work on background jobs in this process."),
  workerSlots: Count.default(4).describe(
    "Jobs of each kind that one process for all workspaces works on at once: kanon worker, or a server on Postgres."
  ),
  reconcileEveryMs: Interval.default(defaultMaintenanceIntervals.reconcileEveryMs).describe(
    "How often files are compared with rows, once over all processes; 0 never."
  ),
  retentionEveryMs: Interval.default(defaultMaintenanceIntervals.retentionEveryMs).describe(
    "How often what is older than a workspace keeps it is forgotten; 0 never."
  ),
  stalenessEveryMs: Interval.default(defaultMaintenanceIntervals.stalenessEveryMs).describe(
    "How often the audit trail records what became due for review; 0 never."
  ),
  contradictionsEveryMs: Interval.default(defaultMaintenanceIntervals.contradictionsEveryMs).describe(
    "How often documents that changed are compared with all others; 0 never."
  )
})
/** All settings of a server, with defaults filled in. */
export type ServerConfig = z.output<typeof ServerSettings>

/**
 * Where the data are. Every command takes these, not the server alone, so they are no server settings and stand in no
 * file: the addresses hold passwords.
 */
export const databaseSettings: ReadonlyArray<{
  readonly name: string
  readonly variable: string
  readonly meaning: string
}> = [
  {
    name: "databaseUrl",
    variable: "KANON_DATABASE_URL",
    meaning: "The Postgres database; SQLite in the data folder without it. --database overrides it."
  },
  {
    name: "databaseListenUrl",
    variable: "KANON_DATABASE_LISTEN_URL",
    meaning:
      "A connection for notifications that goes past a pooler, to the server itself; databaseUrl without it."
  },
  {
    name: "databaseReadUrl",
    variable: "KANON_DATABASE_READ_URL",
    meaning: "Standbys of the database that answer reads, separated by commas; none without it."
  }
]

/** An address of a database without its passwords. Text that is no address is not shown, since it may be a password. */
export const withoutPassword = (address: string): string => {
  if (!URL.canParse(address)) return "[no address]"
  const url = new URL(address)
  if (url.password !== "") url.password = "***"
  for (const name of url.searchParams.keys())
    if (/password|secret|key/iu.test(name)) url.searchParams.set(name, "***")
  return url.href
}

/** A configuration error and its source. */
export interface ConfigMistake {
  readonly where: string
  readonly message: string
}

/** Returns the environment variable of a setting: `KANON_BODY_LIMIT_BYTES` for `bodyLimitBytes`. */
const variableOf = (name: string): string =>
  `KANON_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`

const settingNames: ReadonlyArray<string> = Object.keys(ServerSettings.shape)

/** Returns the settings with descriptions and defaults, for help and documentation. */
export const settingsInWords = (): ReadonlyArray<{
  readonly name: string
  readonly variable: string
  readonly meaning: string
}> =>
  Object.entries(ServerSettings.shape).map(([name, schema]) => ({
    name,
    variable: variableOf(name),
    meaning: schema.description ?? ""
  }))

/**
 * Returns the effective configuration: flags override the environment, which overrides the file and the defaults.
 * Reports the errors of all sources together.
 */
export const readConfig = (sources: {
  readonly file: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly flags: Readonly<Record<string, unknown>>
}): { readonly config: ServerConfig } | { readonly mistakes: ReadonlyArray<ConfigMistake> } => {
  const mistakes: Array<ConfigMistake> = []
  const given: Record<string, unknown> = {}
  const origins = new Map<string, string>()
  const put = (name: string, value: unknown, where: string): void => {
    if (value === undefined) return
    given[name] = value
    origins.set(name, where)
  }
  if (sources.file !== undefined)
    for (const [name, value] of Object.entries(fileSettings(sources.file, mistakes)))
      put(name, value, `${sources.file}: ${name}`)
  for (const name of settingNames) {
    const text = sources.environment[variableOf(name)]
    put(name, text === "" ? undefined : text, variableOf(name))
  }
  if (given["otlpEndpoint"] === undefined) {
    const text = sources.environment[otlpVariable]
    put("otlpEndpoint", text === "" ? undefined : text, otlpVariable)
  }
  for (const [name, value] of Object.entries(sources.flags)) put(name, value, `--${kebab(name)}`)
  const parsed = ServerSettings.safeParse(given)
  if (!parsed.success)
    for (const issue of parsed.error.issues) {
      const names = issue.code === "unrecognized_keys" ? issue.keys : [String(issue.path[0] ?? "")]
      for (const name of names)
        mistakes.push({
          where: origins.get(name) ?? name,
          message: issue.code === "unrecognized_keys" ? "There is no such setting." : issue.message
        })
    }
  return parsed.success && mistakes.length === 0 ? { config: parsed.data } : { mistakes }
}

/** The standard OpenTelemetry variable. */
const otlpVariable = "OTEL_EXPORTER_OTLP_ENDPOINT"

const Fields = z.record(z.string(), z.unknown())

const fileSettings = (file: string, mistakes: Array<ConfigMistake>): Readonly<Record<string, unknown>> => {
  try {
    return Fields.parse(JSON.parse(readFileSync(file, "utf8")))
  } catch (error) {
    const reason = error instanceof SyntaxError ? "It is not JSON." : "It cannot be read as a JSON object."
    mistakes.push({ where: file, message: reason })
    return {}
  }
}

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const loopback: ReadonlyArray<string> = ["localhost", "127.0.0.1", "[::1]"]

/** Whether a host name of a URL is that of this machine. */
export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" ||
  hostname.endsWith(".localhost") ||
  hostname === "[::1]" ||
  /^127(?:\.\d{1,3}){3}$/.test(hostname)

/** Returns the scopes of roles: those of the configuration, and the presets for roles that it leaves out. */
export const scopesByRole = ({ consoleScopes }: Pick<ServerConfig, "consoleScopes">): ScopesByRole => ({
  admin: consoleScopes.admin ?? rolePresets.admin,
  curator: consoleScopes.curator ?? rolePresets.curator,
  member: consoleScopes.member ?? rolePresets.member,
  reader: consoleScopes.reader ?? rolePresets.reader
})

/**
 * Returns the allowed host names of a server. A loopback server without configured names allows only its own, which
 * prevents DNS rebinding.
 */
export const ownNames = ({
  host,
  mcpHosts,
  origin
}: Pick<ServerConfig, "host" | "mcpHosts" | "origin">): { readonly allowedHosts?: ReadonlyArray<string> } => {
  if (mcpHosts !== undefined) return { allowedHosts: mcpHosts }
  if (![...loopback, "::1"].includes(host)) return {}
  return { allowedHosts: [...loopback, ...(origin === undefined ? [] : [new URL(origin).host])] }
}
