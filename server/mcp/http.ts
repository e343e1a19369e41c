import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type * as Tracer from "effect/Tracer"
import type { CallerShape } from "../../core/platform/kernel/index.js"
import { failure, type Reply } from "../http/answer.js"
import type { AppOptions } from "../http/app.js"
import { BodyBudget } from "../http/body-budget.js"
import type { WireError } from "../http/errors.js"
import { addressIn } from "./addresses.js"
import { type Admitted, admitRequest, isSigned, newSessionId, refuseForeignHost } from "./admission.js"
import { readMessage, withEnd, withResponseHeaders, withWideAccept } from "./request.js"
import { runTool } from "./run.js"
import { adoptedClient, mcpServer } from "./server.js"
import { type Session, Sessions } from "./sessions.js"

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
  /** Room for bodies, which all ways in share. */
  readonly budget?: BodyBudget
  /** Where a client reads how to sign in; null or absent where it cannot, so that it needs a key. */
  readonly signInAt?: (request: Request) => string | null
  /** The address below which people reach the console; null or absent where it is not served. */
  readonly consoleUrl?: ((request: Request) => string) | null
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

/** What is known of a request. */
interface Asked {
  readonly id: string
  readonly span: Tracer.Span | undefined
  readonly caller: CallerShape
  readonly addressOf: ReturnType<typeof addressIn>
}

/** By the only object that the SDK passes on with a request. */
type Requests = WeakMap<AuthInfo, Asked>

type Transport = WebStandardStreamableHTTPServerTransport

/**
 * Serves MCP over Streamable HTTP. Any server over the same data may serve a session, so no sticky balancing is
 * needed: a session id is signed with its key, which every request carries, and a server accepts a validly signed id
 * that it has not seen. A session belongs to its key and workspace; with another key it is unknown. Every request is
 * authenticated, so a revoked key stops working at once, and its sessions and open streams end soon after.
 *
 * Each message chooses its protocol: from revision 2026-07-28 on it carries its version in an envelope, and needs no
 * session at all.
 */
export const mcpHttp = (options: McpOptions): McpHttp => {
  const { bodyBytes, bodyMs, ...limits } = { ...defaults, ...options }
  const budget = options.budget ?? new BodyBudget({ bytes: 6 * bodyBytes, bodyBytes, bodyMs })
  const sessions = new Sessions(options.runtime, limits)
  const requests: Requests = new WeakMap()
  const begin = sessionStarter(options, sessions, requests)
  const sessionOf = sessionFinder(sessions, begin)
  const stateless = statelessHandler(options, requests)

  const serve = async (request: Request, requestId: string, span?: Tracer.Span): Promise<Served> => {
    const foreign = refuseForeignHost(request, options)
    if (foreign !== undefined) return refusedWith(foreign, requestId, null)
    const admission = await admitRequest(request, options.runtime, span)
    if (Either.isLeft(admission))
      return refusedWith(withChallenge(admission.left, request, options), requestId, null)
    const admitted = admission.right
    const { caller, holder } = admitted
    // The secret itself is not included.
    const authInfo: AuthInfo = { token: "", clientId: holder, scopes: [...(caller.scopes ?? [])] }
    const consoleUrl = options.consoleUrl?.(request) ?? null
    requests.set(authInfo, { id: requestId, span, caller, addressOf: addressIn(consoleUrl) })
    const scope = Effect.runSync(Scope.make())
    const over = () => void Effect.runFork(Scope.close(scope, Exit.void))
    const message = await readMessage(
      request,
      { bytes: bodyBytes, timeMs: bodyMs },
      budget.of(caller.workspace),
      scope
    )
    const reply = (response: Response, error: string | null): Served => ({
      response: withResponseHeaders(
        request.method === "POST" ? withEnd(response, over) : response,
        request.method,
        requestId
      ),
      admitted,
      error
    })
    if (Either.isLeft(message)) return reply(message.left, "invalid_request")
    const answered = async (work: Promise<Response>): Promise<Served> => {
      try {
        return reply(await work, null)
      } catch (error) {
        over()
        throw error
      }
    }
    const given = { authInfo, ...message.right }
    if (!(await isLegacyRequest(request, given.parsedBody))) return answered(stateless.fetch(request, given))
    const pass = (transport: Transport) => answered(transport.handleRequest(withWideAccept(request), given))
    const id = request.headers.get("mcp-session-id")
    if (id === null) return pass(await begin(admitted, newSessionId(request, admitted), authInfo))
    const session = await sessionOf(id, admitted, request, authInfo)
    if (session === undefined) {
      over()
      return refusedWith(unknownSession, requestId, admitted)
    }
    session.caller = caller
    session.usedAt = performance.now()
    return pass(session.transport)
  }

  return {
    serve,
    close: async () => {
      await stateless.close()
      await sessions.close()
    }
  }
}

/** Serves the requests that carry their version and capabilities: a server for each, so any process answers any. */
const statelessHandler = ({ runtime, version }: McpOptions, requests: Requests) =>
  createMcpHandler(
    ({ authInfo, era }) => {
      const asked = authInfo === undefined ? undefined : requests.get(authInfo)
      if (asked === undefined) throw new TypeError("A request without a caller.")
      const { addressOf, caller, id, span } = asked
      return mcpServer({
        version,
        era,
        scopes: () => caller.scopes,
        addressOf,
        isReadOnly: false,
        run: (effect, { mcpReq: { signal } }, name) =>
          runTool(runtime, effect, { caller: { ...caller, requestId: id }, signal, name, span })
      })
    },
    { legacy: "reject" }
  )

type Begin = (admitted: Admitted, id: string, authInfo: AuthInfo) => Promise<Transport>

/** Returns a function that starts sessions; one counts as open once its client has initialized it. */
const sessionStarter =
  ({ runtime, version }: McpOptions, sessions: Sessions, requests: Requests): Begin =>
  async (admitted, id, authInfo) => {
    sessions.makeRoom(admitted)
    const { caller, holder, isGood } = admitted
    const addressOf = requests.get(authInfo)?.addressOf ?? addressIn(null)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessioninitialized: (id) => sessions.add(id, session),
      onsessionclosed: (id) => sessions.end(id)
    })
    const server = mcpServer({
      version,
      era: "legacy",
      scopes: () => session.caller.scopes,
      addressOf: (place) => session.addressOf(place),
      isReadOnly: false,
      run: async (effect, { http, mcpReq: call }, name) => {
        const request = http?.authInfo === undefined ? undefined : requests.get(http.authInfo)
        const result = await runTool(runtime, effect, {
          caller: request === undefined ? session.caller : { ...session.caller, requestId: request.id },
          signal: call.signal,
          name,
          span: request?.span
        })
        // A cancelled call gets no answer; in protocol versions without batches, its stream can then be closed.
        const protocol = http?.req?.headers.get("mcp-protocol-version") ?? null
        if (call.signal.aborted && protocol !== null && protocol !== lastWithBatches)
          transport.closeSSEStream(call.id)
        return result
      }
    })
    const session: Session = {
      server,
      transport,
      holder,
      isGood,
      workspace: caller.workspace,
      caller,
      addressOf,
      usedAt: performance.now()
    }
    await server.connect(transport)
    return transport
  }

/**
 * Returns a function that finds the session of a request, if its key may use it. A session of another server is
 * adopted, as if its client had started it here.
 */
const sessionFinder = (sessions: Sessions, begin: Begin) => {
  const adopting = new Map<string, Promise<void>>()

  const adopt = async (id: string, admitted: Admitted, request: Request, authInfo: AuthInfo) => {
    const transport = await begin(admitted, id, authInfo)
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
    const protocolVersion = request.headers.get("mcp-protocol-version") ?? lastWithBatches
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: adoptedClient, version: "0" } }
    const body = JSON.stringify({ jsonrpc: "2.0", id: "adopted", method: "initialize", params })
    const hello = new Request(request.url, { method: "POST", headers, body })
    await (await transport.handleRequest(hello, { authInfo })).text()
  }

  return async (
    id: string,
    admitted: Admitted,
    request: Request,
    authInfo: AuthInfo
  ): Promise<Session | undefined> => {
    if (sessions.isUnknown(id) && isSigned(id, request, admitted)) {
      const adoption = adopting.get(id) ?? adopt(id, admitted, request, authInfo)
      adopting.set(id, adoption)
      await adoption.finally(() => adopting.delete(id))
    }
    const session = sessions.get(id)
    const isOwn = session?.holder === admitted.holder && session.workspace === admitted.caller.workspace
    return isOwn ? session : undefined
  }
}

/** The last protocol version in which a request may hold several calls. */
const lastWithBatches = "2025-03-26"

const refusedWith = (error: WireError, requestId: string, admitted: Admitted | null): Served => ({
  response: failure(error, requestId),
  admitted,
  error: error.body.error
})

/** Tells a client that nobody admitted where people sign in, in the form of RFC 9728. */
const withChallenge = (error: WireError, request: Request, { signInAt }: McpOptions): WireError => {
  const address = error.status === 401 ? (signInAt?.(request) ?? null) : null
  if (address === null) return error
  const why = request.headers.has("authorization") ? 'error="invalid_token", ' : ""
  const challenge = `Bearer realm="kanon", ${why}resource_metadata="${address}"`
  return { ...error, headers: { ...error.headers, "www-authenticate": challenge } }
}

const unknownSession: WireError = {
  status: 404,
  body: { error: "not_found", message: "Unknown session: start a new one." }
}
