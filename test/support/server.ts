import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { postgresPorts } from "../../adapters/postgres/index.js"
import { lazyCrawlers } from "../../adapters/sources/lazy.js"
import type { EngineOptions } from "../../adapters/sqlite/index.js"
import { type Wired, wiring } from "../../core/engine/engine/index.js"
import {
  addMember,
  createUser,
  createWorkspace,
  type Grant,
  type MemberRole,
  mintAsHost,
  RoleScopes,
  type User
} from "../../core/platform/identity/index.js"
import {
  Caller,
  type CallerShape,
  type Scope,
  scopeOf,
  scopes,
  type WorkspaceId
} from "../../core/platform/kernel/index.js"
import type { Ports } from "../../core/ports.js"
import { ServerSettings, scopesByRole } from "../../server/config.js"
import { consoleRoutes } from "../../server/console/index.js"
import { defaultLimits, makeApp, type RequestEntry } from "../../server/http/app.js"
import { BodyBudget } from "../../server/http/body-budget.js"
import type { Limits } from "../../server/http/serve-row.js"
import { type McpOptions, mcpHttp } from "../../server/mcp/http.js"
import type { FetchMetadata } from "../../server/sign-in/clients.js"
import { issuerOf, resourceMetadataAt } from "../../server/sign-in/metadata.js"
import { portsOf } from "./database.js"

/** A server in this process, over throw-away data, with everything that its tests ask of it. */
export interface TestServer {
  /** Services of the server, to start another one beside it. */
  readonly runtime: ManagedRuntime.ManagedRuntime<Ports | Wired, never>
  readonly fetch: (request: Request) => Promise<Response>
  /** Calls as the bearer of a key and reads the answer as JSON. */
  readonly call: (
    method: string,
    path: string,
    options?: {
      readonly key?: string | null
      readonly body?: unknown
      readonly headers?: Readonly<Record<string, string>>
    }
  ) => Promise<{ readonly status: number; readonly body: unknown; readonly headers: Headers }>
  /** Runs something as the local user of a workspace. */
  readonly as: <A, E>(workspace: WorkspaceId, work: Effect.Effect<A, E, Ports | Wired | Caller>) => Promise<A>
  readonly workspace: (name: string) => Promise<WorkspaceId>
  readonly key: (workspace: WorkspaceId, held?: ReadonlyArray<Scope>, expiresAt?: string) => Promise<string>
  readonly user: (
    name: string,
    memberOf: ReadonlyArray<WorkspaceId>,
    role?: MemberRole
  ) => Promise<User["id"]>
  readonly userKey: (user: User["id"], grant: Grant, held?: ReadonlyArray<Scope>) => Promise<string>
  /** A folder of this server, below which SQLite files of live-data connectors may lie. */
  readonly folder: string
  /** Log entries of requests, in order. */
  readonly entries: Array<RequestEntry>
  readonly close: () => Promise<void>
}

export const startServer = async ({
  data = ":memory:",
  limits = {},
  mcp: mcpOptions = {},
  models = {},
  builtInModels = true,
  database,
  crawlers = lazyCrawlers,
  consoleSettings,
  consoleFolder,
  fetchMetadata,
  around = Layer.empty
}: {
  readonly data?: string
  readonly limits?: Partial<Limits>
  readonly mcp?: Partial<McpOptions>
  readonly models?: NonNullable<EngineOptions["models"]>
  readonly builtInModels?: boolean
  /** The URL of a database on Postgres, where the test is about that one. */
  readonly database?: string
  /** Providers of content connectors; the built-in ones by default. */
  readonly crawlers?: NonNullable<EngineOptions["crawlers"]>
  /** Serves the console with these settings; without them there is none. */
  readonly consoleSettings?: Readonly<Record<string, unknown>>
  /** Folder of the built pages. */
  readonly consoleFolder?: string
  /** Fetches metadata documents of MCP clients that sign in. */
  readonly fetchMetadata?: FetchMetadata
  /** Changes how everything is run. */
  readonly around?: Layer.Layer<never>
} = {}): Promise<TestServer> => {
  const folder = mkdtempSync(join(tmpdir(), "kanon-server-"))
  const ports =
    database === undefined
      ? portsOf({ vault: folder, data, models, builtInModels, crawlers, ...liveData(folder) })
      : postgresPorts({ vault: folder, database, models, builtInModels, crawlers, ...liveData(folder) })
  const settings = ServerSettings.parse(consoleSettings ?? {})
  const roles = Layer.succeed(RoleScopes, scopesByRole(settings))
  const runtime = ManagedRuntime.make(
    Layer.merge(Layer.provideMerge(Layer.provideMerge(wiring, ports), roles), around)
  )
  const entries: Array<RequestEntry> = []
  const { bodiesBytes, bodyBytes, bodyMs } = { ...defaultLimits, ...limits }
  const budget = new BodyBudget({ bytes: bodiesBytes, bodyBytes, bodyMs: bodyMs })
  const signInAt = (request: Request) => {
    const issuer = consoleSettings === undefined ? null : issuerOf(request, settings)
    return issuer === null ? null : resourceMetadataAt(issuer)
  }
  const mcp = mcpHttp({ runtime, version: "0.0.0", bodyBytes, bodyMs, budget, signInAt, ...mcpOptions })
  const app = makeApp({
    runtime,
    mcp,
    limits,
    budget,
    checkResponses: true,
    onRequest: (entry) => entries.push(entry),
    ...(consoleSettings === undefined
      ? {}
      : { console: consoleRoutes(settings, runtime, consoleFolder, fetchMetadata) })
  })
  const as: TestServer["as"] = (workspace, work) =>
    runtime.runPromise(Effect.provideService(work, Caller, localOf(workspace)))
  const server: TestServer = {
    runtime,
    fetch: app.fetch,
    as,
    folder,
    entries,
    call: async (method, path, { body, headers, key } = {}) => {
      const response = await app.fetch(
        new Request(`http://kanon.test${path}`, {
          method,
          headers: {
            ...(key === undefined || key === null ? {} : { authorization: `Bearer ${key}` }),
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...headers
          },
          ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
        })
      )
      const text = await response.text()
      return {
        status: response.status,
        headers: response.headers,
        body:
          text === ""
            ? null
            : response.headers.get("content-type")?.includes("json")
              ? JSON.parse(text)
              : text
      }
    },
    workspace: async (name) => {
      const vaultOf = (id: string) => join(folder, id)
      const { id } = await runtime.runPromise(createWorkspace(name, vaultOf))
      mkdirSync(vaultOf(id), { recursive: true })
      return id
    },
    key: async (workspace, held = scopes, expiresAt) => {
      const wish = { name: "test", scopes: held, expiresAt: expiresAt ?? null }
      const owner = { kind: "workspace", workspace } as const
      return (await as(workspace, mintAsHost({ ...wish, owner }))).secret
    },
    user: async (name, memberOf, role = "member") => {
      const [first] = memberOf
      if (first === undefined) throw new RangeError("A test user belongs to some workspace.")
      const { id } = await as(first, createUser(name))
      for (const workspace of memberOf) await as(workspace, addMember(id, role))
      return id
    },
    userKey: async (user, grant, held = scopes) => {
      const [first] = grant === "all" ? [] : grant
      const wish = { name: "test", scopes: held, expiresAt: null }
      const work = mintAsHost({ ...wish, owner: { kind: "user", user, grant } })
      return (await as(first ?? (await server.workspace("unused")), work)).secret
    },
    close: async () => {
      await mcp.close()
      await runtime.dispose()
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return server
}

/** Live databases of tests: files in the folder of the server, and servers on this machine. */
const liveData = (folder: string) => ({
  liveDataFolders: [folder],
  privateDataAddresses: true,
  privateConnectorAddresses: true
})

const localOf = (workspace: WorkspaceId): CallerShape => ({
  workspace: scopeOf(workspace),
  actor: "local",
  activity: "ui"
})
