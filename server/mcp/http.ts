import { randomUUID } from "node:crypto"
import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import { type Admitted, admit } from "../../core/identity/index.js"
import { Caller, type CallerShape, isFault, Unauthorized } from "../../core/kernel/index.js"
import { failure } from "../http/answer.js"
import type { AppOptions } from "../http/app.js"
import { internal, type WireError, wireError } from "../http/errors.js"
import { bearerOf } from "../http/serve-row.js"
import { mcpServer } from "./server.js"

export interface McpOptions extends Pick<AppOptions, "runtime"> {
  readonly version: string
  /** Origins of web pages that may call; none by default: a request without an Origin is no browser's. */
  readonly allowedOrigins?: ReadonlyArray<string>
  /** Names by which this server may be called, with port where it is not the usual one; any by default. */
  readonly allowedHosts?: ReadonlyArray<string>
  /** Most sessions at once; the one that was idle longest makes room. */
  readonly sessionsMax?: number
  /** Sessions end when they have been idle for so long. */
  readonly idleMs?: number
  readonly bodyBytes?: number
}

interface Session {
  readonly server: Server
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly keyId: string
  readonly workspace: string
  /** The caller of the request that is being served: rights are those of now. */
  caller: CallerShape
  usedAt: number
}

const usual = { sessionsMax: 1000, idleMs: 30 * 60_000, bodyBytes: 10 * 1024 * 1024 }

export interface McpHttp {
  readonly serve: (request: Request, requestId: string) => Promise<Served>
  readonly close: () => Promise<void>
}

interface Served {
  readonly response: Response
  readonly admitted: Admitted | null
  readonly error: string | null
}

/**
 * MCP over Streamable HTTP. A session belongs to the key and workspace that began it: with another key it is as
 * unknown. Every request is admitted anew, so that a revoked key ends its sessions with the next request.
 */
export const mcpHttp = (options: McpOptions): McpHttp => {
  const { bodyBytes, idleMs, sessionsMax } = { ...usual, ...options }
  const sessions = new Map<string, Session>()

  const end = async (id: string): Promise<void> => {
    const session = sessions.get(id)
    sessions.delete(id)
    await session?.server.close()
  }

  const makeRoom = (): void => {
    const idle = [...sessions].sort(([, a], [, b]) => a.usedAt - b.usedAt)
    const now = performance.now()
    for (const [place, [id, { usedAt }]] of idle.entries())
      if (now - usedAt > idleMs || idle.length - place >= sessionsMax) void end(id)
  }

  const begin = async ({ caller, key }: Admitted): Promise<WebStandardStreamableHTTPServerTransport> => {
    makeRoom()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      maxRequestBodySize: bodyBytes,
      onsessioninitialized: (id) => {
        sessions.set(id, session)
      },
      onsessionclosed: (id) => end(id)
    })
    const server = mcpServer({
      version: options.version,
      scopes: () => session.caller.scopes,
      run: async (effect, signal) => {
        const exit = await options.runtime.runPromiseExit(
          Effect.either(Effect.provideService(effect, Caller, session.caller)).pipe(
            Effect.tapErrorCause((cause) => Effect.logError("A tool failed.", cause))
          ),
          { signal }
        )
        return Exit.isSuccess(exit) ? exit.value : null
      }
    })
    const session: Session = {
      server,
      transport,
      keyId: key.id,
      workspace: caller.workspace,
      caller,
      usedAt: performance.now()
    }
    await server.connect(transport)
    return transport
  }

  const serve = async (request: Request, requestId: string): Promise<Served> => {
    const foreign = refused(request, options)
    if (foreign !== undefined) return refusedWith(foreign, requestId, null)
    const admitted = await admittedOf(request, options.runtime)
    if (Either.isLeft(admitted)) return refusedWith(admitted.left, requestId, null)
    const { caller, key } = admitted.right
    const id = request.headers.get("mcp-session-id")
    if (id === null) {
      const transport = await begin(admitted.right)
      return { response: await transport.handleRequest(request), admitted: admitted.right, error: null }
    }
    const session = sessions.get(id)
    if (session === undefined || session.keyId !== key.id || session.workspace !== caller.workspace)
      return refusedWith(unknownSession, requestId, admitted.right)
    session.caller = caller
    session.usedAt = performance.now()
    return { response: await session.transport.handleRequest(request), admitted: admitted.right, error: null }
  }

  return {
    serve,
    close: async () => {
      await Promise.all([...sessions.keys()].map(end))
    }
  }
}

const refusedWith = (error: WireError, requestId: string, admitted: Admitted | null): Served => ({
  response: failure(error, requestId),
  admitted,
  error: error.body.error
})

const unknownSession: WireError = {
  status: 404,
  body: { error: "not_found", message: "No such session: begin a new one." }
}

const forbidden = (message: string): WireError => ({ status: 403, body: { error: "forbidden", message } })

/** Keeps pages of other sites, and names that were bound to this address, away from a server on loopback. */
const refused = (
  { headers }: Request,
  { allowedHosts, allowedOrigins = [] }: McpOptions
): WireError | undefined => {
  const origin = headers.get("origin")
  if (origin !== null && !allowedOrigins.includes(origin)) return forbidden("This origin may not call.")
  const host = headers.get("host")
  if (allowedHosts !== undefined && (host === null || !allowedHosts.includes(host)))
    return forbidden("The server is not known by this name.")
  return undefined
}

const admittedOf = async (
  request: Request,
  runtime: AppOptions["runtime"]
): Promise<Either.Either<Admitted, WireError>> => {
  const secret = bearerOf(request)
  const workspace = request.headers.get("x-workspace-id") ?? undefined
  const exit = await runtime.runPromiseExit(
    secret === undefined ? Effect.fail(new Unauthorized()) : admit(secret, workspace, "mcp")
  )
  if (Exit.isSuccess(exit)) return Either.right(exit.value)
  const fault = Cause.squash(exit.cause)
  return Either.left(isFault(fault) ? wireError(fault) : internal)
}
