import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Tracer from "effect/Tracer"
import { H3 } from "h3"
import { catalog } from "../catalog/index.js"
import type { Row } from "../catalog/row.js"
import type { BeginTrace } from "../telemetry/tracing.js"
import { failure, type Reply, reply, streamed } from "./answer.js"
import { BodyBudget } from "./body-budget.js"
import { internal, notFound, type WireError, wireError } from "./errors.js"
import { fileForKey } from "./files.js"
import { readQuery } from "./input.js"
import { openApi } from "./openapi.js"
import {
  type Admission,
  type Bounds,
  checked,
  type KnownCaller,
  keyAdmission,
  type Limits,
  type Runtime,
  serveRow
} from "./serve-row.js"

export interface AppOptions {
  /** Runs the operations; not disposed by the app. */
  readonly runtime: Runtime
  readonly limits?: Partial<Limits>
  /** Room for bodies that is shared with another way in, such as MCP. */
  readonly budget?: BodyBudget
  /** Whether every response is validated against its schema; an invalid one becomes `internal` and is logged. */
  readonly checkResponses?: boolean
  /** Called for each answered request; contains no bodies, questions or secrets. */
  readonly onRequest?: (entry: RequestEntry) => void
  /** Starts the trace of a request, if tracing is enabled. */
  readonly trace?: BeginTrace
  /** Serves `/api/mcp`, if present. */
  readonly mcp?: {
    readonly serve: (
      request: Request,
      requestId: string,
      span?: Tracer.Span
    ) => Promise<{
      readonly response: Reply
      readonly admitted: KnownCaller | null
      readonly error: string | null
    }>
  }
  /** Serves the console, if present. */
  readonly console?: ConsoleRoutes
  /** Public origin, which the OpenAPI document names. */
  readonly origin?: string
}

/** An answered request, for logs. */
export interface RequestEntry {
  readonly requestId: string
  readonly method: string
  /** The route pattern, such as `/api/v1/documents/{id}`; null if no route matches. */
  readonly route: string | null
  readonly status: number
  readonly durationMs: number
  readonly workspace: string | null
  readonly keyId: string | null
  /** The error code, if any. */
  readonly error: string | null
}

const mebibyte = 1024 * 1024
export const defaultLimits: Limits = { bodyBytes: 10 * mebibyte, bodyMs: 30_000, bodiesBytes: 64 * mebibyte }

/** Routes that the console adds to the API. */
export interface ConsoleRoutes {
  /** Admits the holder of a session; every operation is served to it below `/console`. */
  readonly admission: Admission
  /** Its own endpoints for a session. */
  readonly rows: ReadonlyArray<Row>
  /** Endpoints that need no session. */
  readonly open: ReadonlyArray<{ readonly method: string; readonly path: string; readonly serve: Serve }>
  /** Pages, assets and files: what no other route matches. */
  readonly rest: (request: Request, url: URL, requestId: string) => Promise<Answered | null>
  /** Headers of every response of the console. */
  readonly headers: Readonly<Record<string, string>>
}

export type Serve = (
  request: Request,
  url: URL,
  parameters: Readonly<Record<string, string>>,
  requestId: string,
  span: Tracer.Span | undefined
) => Promise<Answered>

/** The operations at a path. */
interface Route {
  readonly path: string
  readonly segments: ReadonlyArray<Segment>
  readonly methods: ReadonlyMap<string, Serve>
}

export interface Answered {
  readonly response: Reply
  readonly admitted: KnownCaller | null
  /** The error code, if any. */
  readonly error: string | null
}

/**
 * Creates the API as one web-standard handler; mount `fetch` in any server. Paths, methods and schemas come from the
 * catalog.
 */
export const makeApp = (options: AppOptions): { readonly fetch: (request: Request) => Promise<Response> } => {
  const limits = { ...defaultLimits, ...options.limits }
  const budget =
    options.budget ??
    new BodyBudget({ bytes: limits.bodiesBytes, bodyBytes: limits.bodyBytes, bodyMs: limits.bodyMs })
  const bounds = { ...limits, budget }
  const routes = new Map<string, Map<string, Serve>>()
  for (const row of catalog)
    methodsAt(routes, row.path).set(row.method, rowServer(row, bounds, options, keyAdmission))
  methodsAt(routes, "/api/v1/openapi.json").set("GET", openApiServer(options.origin))
  for (const method of ["GET", "HEAD"]) {
    const serve = fileForKey(options.runtime)
    methodsAt(routes, "/api/v1/files").set(method, async (request, url, _parameters, requestId) => ({
      response: await serve(request, url, requestId),
      admitted: null,
      error: null
    }))
  }
  const { console, mcp } = options
  if (console !== undefined) mountConsole(routes, console, bounds, options)
  if (mcp !== undefined)
    for (const method of ["GET", "POST", "DELETE"])
      methodsAt(routes, "/api/mcp").set(method, (request, _url, _parameters, requestId, span) =>
        mcp.serve(request, requestId, span)
      )

  // A path that cannot be decoded matches no route.
  const app = new H3({
    silent: true,
    onError: ({ status }, { req, url }) =>
      status < 500 ? answer(req, url, null) : failure(internal, requestIdOf(req))
  })
  for (const [path, methods] of literalFirst(routes)) {
    const route = { path, segments: segmentsOf(path), methods }
    app.all(path.replaceAll(/\{([a-zA-Z]+)\}/g, ":$1"), (event) => answer(event.req, event.url, route))
  }
  app.all("/**", (event) => answer(event.req, event.url, null))

  const answer = async (request: Request, url: URL, route: Route | null): Promise<Reply> => {
    const startedAt = performance.now()
    const requestId = requestIdOf(request)
    const parameters = route === null ? undefined : parametersIn(route.segments, url.pathname)
    const known = route === null || parameters === undefined ? null : route.path
    const trace = options.trace?.(request, known, requestId)
    const { admitted, error, response } = await (route === null && options.console !== undefined
      ? options.console.rest(request, url, requestId).then((found) => found ?? refusal(notFound, requestId))
      : dispatch(request, url, requestId, parameters, route?.methods, trace?.span)
    ).catch((reason) => answerFailure(reason, request, requestId, options.runtime))
    const entry: RequestEntry = {
      requestId,
      method: request.method,
      route: known,
      status: response.status ?? 200,
      durationMs: performance.now() - startedAt,
      workspace: admitted?.caller.workspace ?? null,
      keyId: admitted?.key?.id ?? null,
      error
    }
    options.onRequest?.(entry)
    trace?.end(entry)
    return response
  }

  return { fetch: async (request) => app.fetch(request) }
}

const mountConsole = (
  routes: Map<string, Map<string, Serve>>,
  { admission, headers, open, rows }: ConsoleRoutes,
  bounds: Bounds,
  options: AppOptions
): void => {
  const mount = (path: string, method: string, serve: Serve) =>
    methodsAt(routes, path).set(method, async (...request) => {
      const answered = await serve(...request)
      for (const [name, value] of Object.entries(headers)) answered.response.headers.set(name, value)
      return answered
    })
  for (const row of catalog)
    mount(`/console${row.path}`, row.method, rowServer(row, bounds, options, admission))
  for (const row of rows) mount(row.path, row.method, rowServer(row, bounds, options, admission))
  for (const { method, path, serve } of open) mount(path, method, serve)
}

const methodsAt = (routes: Map<string, Map<string, Serve>>, path: string): Map<string, Serve> => {
  const methods = routes.get(path) ?? new Map<string, Serve>()
  routes.set(path, methods)
  return methods
}

/** Orders routes so that literal segments precede parameters. */
const literalFirst = (routes: ReadonlyMap<string, Map<string, Serve>>) =>
  [...routes].sort(([a], [b]) => a.split("{").length - b.split("{").length)

const dispatch = async (
  request: Request,
  url: URL,
  requestId: string,
  parameters: Readonly<Record<string, string>> | undefined,
  methods: ReadonlyMap<string, Serve> | undefined,
  span: Tracer.Span | undefined
): Promise<Answered> => {
  if (parameters === undefined || methods === undefined) return refusal(notFound, requestId)
  const serve = methods.get(request.method)
  if (serve !== undefined) return serve(request, url, parameters, requestId, span)
  const allow = [...methods.keys()].sort().join(", ")
  const body = { error: "method_not_allowed", message: `Allowed here: ${allow}.` }
  return refusal({ status: 405, body, headers: { allow } }, requestId)
}

/** Status 499 for logs, as proxies use it; the client has disconnected and reads no answer. */
const clientGone: WireError = { status: 499, body: { error: "client_closed_request" } }

/** Answers a request without outcome: the client disconnected, or a defect occurred. */
const answerFailure = async (
  reason: unknown,
  { signal }: Request,
  requestId: string,
  runtime: Runtime
): Promise<Answered> => {
  if (signal.aborted) return refusal(clientGone, requestId)
  await runtime.runPromise(Effect.annotateLogs(Effect.logError("A request failed.", reason), { requestId }))
  return refusal({ ...internal, body: { ...internal.body, requestId } }, requestId)
}

const refusal = (error: WireError, requestId: string): Answered => ({
  response: failure(error, requestId),
  admitted: null,
  error: error.body.error
})

const rowServer = (
  row: Row,
  bounds: Bounds,
  { checkResponses, runtime }: AppOptions,
  admission: Admission
): Serve => {
  const serve = serveRow(row, bounds, admission)
  return async (request, url, parameters, requestId, span) => {
    const work = serve(request, url, parameters, requestId).pipe(
      Effect.annotateLogs({ requestId, route: row.operation.name }),
      Effect.flatMap((one) => (checkResponses === true ? checked(one, row) : Effect.succeed(one)))
    )
    const outcome = await runtime.runPromise(span === undefined ? work : Effect.withParentSpan(work, span), {
      signal: request.signal
    })
    const response = Either.match(outcome.result, {
      onLeft: (error) =>
        failure(error.status === 500 ? { ...error, body: { ...error.body, requestId } } : error, requestId),
      onRight: (body) =>
        outcome.stream === undefined
          ? reply(statusOf(row, body), body, requestId, outcome.headers)
          : streamed(outcome.stream.status ?? row.status, outcome.stream, requestId)
    })
    const error = Either.isLeft(outcome.result) ? outcome.result.left.body.error : null
    return { response, admitted: outcome.admitted, error }
  }
}

const statusOf = ({ otherwise, status }: Row, result: unknown): number =>
  otherwise?.when(result) === true ? otherwise.status : status

/**
 * Returns the address of a request to a loopback name. Of other names only `origin` is trusted: whoever asks chooses the
 * Host header, and the document may be cached for others. A relative address means where the document was found.
 */
const ownOrigin = ({ hostname, origin }: URL): string =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname) ? origin : "/"

const openApiServer =
  (origin: string | undefined): Serve =>
  async (request, url, _parameters, requestId) => {
    const undeclared = readQuery(url.searchParams, { query: new Map(), body: [] })
    if (Either.isLeft(undeclared)) return refusal(wireError(undeclared.left), requestId)
    const { etag, text } = openApi(origin ?? ownOrigin(url))
    const headers = {
      "content-type": "application/json; charset=utf-8",
      "cache-control": "public, max-age=300",
      "x-content-type-options": "nosniff",
      "x-request-id": requestId,
      etag
    }
    const known = request.headers.get("if-none-match")
    const unchanged = known?.split(",").some((one) => one.trim().replace(/^W\//, "") === etag) === true
    const response = unchanged
      ? new Response(null, { status: 304, headers })
      : new Response(text, { status: 200, headers })
    return { response, admitted: null, error: null }
  }

/** Returns the caller's request id if it is valid for headers and logs, else a new one. */
const requestIdOf = ({ headers }: Request): string => {
  const given = headers.get("x-request-id")
  return given !== null && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID()
}

/** A segment of a pattern: a parameter or a literal. */
interface Segment {
  readonly name: string | undefined
  readonly text: string
}

const segmentsOf = (pattern: string): ReadonlyArray<Segment> =>
  pattern.split("/").map((text) => ({ text, name: /^\{(.+)\}$/.exec(text)?.[1] }))

/** Returns the decoded parameters of a path that matches the pattern, or none. */
const parametersIn = (
  wanted: ReadonlyArray<Segment>,
  pathname: string
): Readonly<Record<string, string>> | undefined => {
  const given = pathname.split("/")
  if (wanted.length !== given.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [place, { name, text }] of wanted.entries()) {
    const segment = given[place] ?? ""
    if (name === undefined) {
      if (segment !== text) return undefined
      continue
    }
    const decoded = decode(segment)
    if (decoded === undefined || decoded === "") return undefined
    parameters[name] = decoded
  }
  return parameters
}

const decode = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
