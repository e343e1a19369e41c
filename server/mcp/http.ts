import { createHmac, randomUUID, timingSafeEqual } from "node:crypto"
import type { AuthInfo } from "@modelcontextprotocol/sdk/server/auth/types.js"
import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import type * as Tracer from "effect/Tracer"
import { type Admitted, admit, isStillAdmitted } from "../../core/platform/identity/index.js"
import { type CallerShape, isFault, Unauthorized } from "../../core/platform/kernel/index.js"
import { failure, type Reply } from "../http/answer.js"
import type { AppOptions } from "../http/app.js"
import { internal, type WireError, wireError } from "../http/errors.js"
import { bearerOf } from "../http/serve-row.js"
import { readMessage, sent, withWideAccept } from "./request.js"
import { runTool } from "./run.js"
import { mcpServer } from "./server.js"

export interface McpOptions extends Pick<AppOptions, "runtime"> {
  readonly version: string
  /** Allowed Origin headers of web pages; default: none. A request without Origin is not from a browser. */
  readonly allowedOrigins?: ReadonlyArray<string>
  /** Allowed Host headers; one without a port allows any port. Default: any. */
  readonly allowedHosts?: ReadonlyArray<string>
  /**
   * Maximum number of sessions; a key may hold a quarter of them, a workspace half. Beyond a limit the longest idle
   * session of the key, of the workspace, or of the workspace with most sessions is evicted.
   */
  readonly sessionsMax?: number
  /** Idle time after which a session ends. */
  readonly idleMs?: number
  /** Interval for ending idle sessions and those with a revoked key. */
  readonly lookMs?: number
  readonly bodyBytes?: number
  /** Time for a body to arrive. */
  readonly bodyMs?: number
}

interface Session {
  readonly server: Server
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly keyId: Admitted["key"]["id"]
  readonly workspace: CallerShape["workspace"]
  /** The caller of the current request, with present rights. */
  caller: CallerShape
  usedAt: number
}

const defaults = {
  sessionsMax: 1000,
  idleMs: 30 * 60_000,
  lookMs: 10_000,
  bodyBytes: 10 * 1024 * 1024,
  bodyMs: 30_000
}

export interface McpHttp {
  /** `span` is that of the request, if traced. */
  readonly serve: (request: Request, requestId: string, span?: Tracer.Span) => Promise<Served>
  readonly close: () => Promise<void>
}

interface Served {
  readonly response: Reply
  readonly admitted: Admitted | null
  readonly error: string | null
}

/**
 * Serves MCP over Streamable HTTP. Any server over the same data may serve a session, so no sticky balancing is
 * needed: a session id is signed with its key, which every request carries, and a server accepts a validly signed id
 * that it has not seen. A session belongs to its key and workspace; with another key it is unknown. Every request is
 * authenticated, so a revoked key stops working at once, and its sessions and open streams end soon after.
 */
export const mcpHttp = (options: McpOptions): McpHttp => {
  const { bodyBytes, bodyMs, idleMs, lookMs, sessionsMax } = { ...defaults, ...options }
  const sessions = new Map<string, Session>()
  const requests = new WeakMap<AuthInfo, { readonly id: string; readonly span: Tracer.Span | undefined }>()

  /** Sessions that ended here; they are not accepted again. */
  const ended = new Set<string>()
  const adopting = new Map<string, Promise<unknown>>()

  const end = async (id: string): Promise<void> => {
    const session = sessions.get(id)
    sessions.delete(id)
    ended.add(id)
    const [oldest] = ended
    if (ended.size > endedMax && oldest !== undefined) ended.delete(oldest)
    await session?.server.close()
  }

  /** Makes room for a session, so that no tenant can push out the sessions of another. */
  const makeRoom = ({ caller, key }: Admitted): void => {
    const now = performance.now()
    for (const [id, { usedAt }] of sessions) if (now - usedAt > idleMs) void end(id)
    keepBelow(Math.ceil(sessionsMax / 4), (one) => one.keyId === key.id)
    keepBelow(Math.ceil(sessionsMax / 2), (one) => one.workspace === caller.workspace)
    if (sessions.size < sessionsMax) return
    const counts = new Map<string, number>()
    for (const { workspace } of sessions.values()) counts.set(workspace, (counts.get(workspace) ?? 0) + 1)
    const [largest] = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), ["", 0])
    keepBelow(counts.get(largest) ?? 1, (one) => one.workspace === largest)
  }

  /** Ends the longest idle of these sessions until there are fewer. */
  const keepBelow = (limit: number, isOne: (session: Session) => boolean): void => {
    const among = [...sessions].filter(([, session]) => isOne(session))
    if (among.length < limit) return
    among.sort(([, a], [, b]) => a.usedAt - b.usedAt)
    for (const [id] of among.slice(0, among.length - limit + 1)) void end(id)
  }

  const checkSessions = async (): Promise<void> => {
    for (const [id, { keyId, usedAt, workspace }] of sessions) {
      const isIdle = performance.now() - usedAt > idleMs
      // An error while checking the key ends no session.
      const isGood = await options.runtime.runPromise(isStillAdmitted(keyId, workspace)).catch(() => true)
      if (isIdle || !isGood) await end(id)
    }
  }
  let looking: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    looking = looking.then(checkSessions).catch(() => undefined)
  }, lookMs).unref()

  const begin = async (admitted: Admitted, id: string): Promise<WebStandardStreamableHTTPServerTransport> => {
    makeRoom(admitted)
    const { caller, key } = admitted
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessioninitialized: (id) => {
        sessions.set(id, session)
      },
      onsessionclosed: (id) => end(id)
    })
    const server = mcpServer({
      version: options.version,
      scopes: () => session.caller.scopes,
      isReadOnly: false,
      run: async (effect, call, name) => {
        const brought = call.authInfo === undefined ? undefined : requests.get(call.authInfo)
        const result = await runTool(options.runtime, effect, {
          caller: brought === undefined ? session.caller : { ...session.caller, requestId: brought.id },
          signal: call.signal,
          name,
          span: brought?.span
        })
        // A cancelled call gets no answer; in protocol versions without batches, its stream can then be closed.
        const version = call.requestInfo?.headers["mcp-protocol-version"]
        if (call.signal.aborted && version !== undefined && version !== lastWithBatches)
          transport.closeSSEStream(call.requestId)
        return result
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

  /** Adopts a session of another server, as if its client had started it here. */
  const adopt = async (
    id: string,
    admitted: Admitted,
    request: Request,
    authInfo: AuthInfo
  ): Promise<void> => {
    const transport = await begin(admitted, id)
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
    const protocolVersion = request.headers.get("mcp-protocol-version") ?? lastWithBatches
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: "adopted", version: "0" } }
    const body = JSON.stringify({ jsonrpc: "2.0", id: "adopted", method: "initialize", params })
    const hello = new Request(request.url, { method: "POST", headers, body })
    await (await transport.handleRequest(hello, { authInfo })).text()
  }

  const serve = async (request: Request, requestId: string, span?: Tracer.Span): Promise<Served> => {
    const foreign = refuseForeignHost(request, options)
    if (foreign !== undefined) return refusedWith(foreign, requestId, null)
    const admitted = await admittedOf(request, options.runtime, span)
    if (Either.isLeft(admitted)) return refusedWith(admitted.left, requestId, null)
    const { caller, key } = admitted.right
    // The transport passes only this object on with a request; the secret itself is not included.
    const authInfo: AuthInfo = { token: "", clientId: key.id, scopes: [...(caller.scopes ?? [])] }
    requests.set(authInfo, { id: requestId, span })
    const message = await readMessage(request, { bytes: bodyBytes, timeMs: bodyMs })
    if (Either.isLeft(message))
      return {
        response: sent(message.left, request.method, requestId),
        admitted: admitted.right,
        error: "invalid_request"
      }
    const pass = async (transport: WebStandardStreamableHTTPServerTransport): Promise<Served> => ({
      response: sent(
        await transport.handleRequest(withWideAccept(request), { authInfo, ...message.right }),
        request.method,
        requestId
      ),
      admitted: admitted.right,
      error: null
    })
    const id = request.headers.get("mcp-session-id")
    if (id === null) {
      return pass(await begin(admitted.right, newId(request, admitted.right)))
    }
    if (!sessions.has(id) && !ended.has(id) && isSigned(id, request, admitted.right)) {
      const adoption = adopting.get(id) ?? adopt(id, admitted.right, request, authInfo)
      adopting.set(id, adoption)
      await adoption.finally(() => adopting.delete(id))
    }
    const session = sessions.get(id)
    if (session === undefined || session.keyId !== key.id || session.workspace !== caller.workspace)
      return refusedWith(unknownSession, requestId, admitted.right)
    session.caller = caller
    session.usedAt = performance.now()
    return pass(session.transport)
  }

  return {
    serve,
    close: async () => {
      clearInterval(timer)
      await looking
      await Promise.all([...sessions.keys()].map(end))
    }
  }
}

/** Number of ended sessions that are remembered. */
const endedMax = 10_000

/** Returns a session id that only the holder of the key can use, and only for this workspace. */
const newId = (request: Request, admitted: Admitted): string => {
  const name = randomUUID()
  return `${name}.${signatureOf(name, request, admitted).toString("base64url")}`
}

const isSigned = (id: string, request: Request, admitted: Admitted): boolean => {
  const [name = "", signature = ""] = id.split(".")
  const [given, right] = [Buffer.from(signature, "base64url"), signatureOf(name, request, admitted)]
  return given.length === right.length && timingSafeEqual(given, right)
}

const signatureOf = (name: string, request: Request, { caller, key }: Admitted): Buffer =>
  createHmac("sha256", bearerOf(request) ?? "")
    .update(`kanon-mcp-session ${key.id} ${caller.workspace} ${name}`)
    .digest()

/** The last protocol version in which a request may hold several calls. */
const lastWithBatches = "2025-03-26"

const refusedWith = (error: WireError, requestId: string, admitted: Admitted | null): Served => ({
  response: failure(error, requestId),
  admitted,
  error: error.body.error
})

const unknownSession: WireError = {
  status: 404,
  body: { error: "not_found", message: "Unknown session: start a new one." }
}

const forbidden = (message: string): WireError => ({ status: 403, body: { error: "forbidden", message } })

/** Rejects pages of other sites and foreign host names (DNS rebinding) on a loopback server. */
const refuseForeignHost = (
  { headers }: Request,
  { allowedHosts, allowedOrigins = [] }: McpOptions
): WireError | undefined => {
  const origin = headers.get("origin")
  if (origin !== null && !allowedOrigins.includes(origin)) return forbidden("This origin may not call.")
  const host = headers.get("host")
  if (allowedHosts !== undefined && !isNamed(host, allowedHosts))
    return forbidden("The server is not known by this name.")
  return undefined
}

const isNamed = (host: string | null, allowed: ReadonlyArray<string>): boolean =>
  host !== null && (allowed.includes(host) || allowed.includes(host.replace(/:\d+$/, "")))

const admittedOf = async (
  request: Request,
  runtime: AppOptions["runtime"],
  span: Tracer.Span | undefined
): Promise<Either.Either<Admitted, WireError>> => {
  const secret = bearerOf(request)
  const workspace = request.headers.get("x-workspace-id") ?? undefined
  const admission = secret === undefined ? Effect.fail(new Unauthorized()) : admit(secret, workspace, "mcp")
  const exit = await runtime.runPromiseExit(
    span === undefined ? admission : Effect.withParentSpan(admission, span)
  )
  if (Exit.isSuccess(exit)) return Either.right(exit.value)
  const fault = Cause.squash(exit.cause)
  return Either.left(isFault(fault) ? wireError(fault) : internal)
}
