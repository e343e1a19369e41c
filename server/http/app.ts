import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import { H3 } from "h3"
import type { Admitted } from "../../core/identity/index.js"
import type { Ports } from "../../core/ports.js"
import type { Wired } from "../../core/wiring.js"
import { catalog } from "../catalog/index.js"
import type { Row } from "../catalog/row.js"
import { failure, json } from "./answer.js"
import { internal, notFound, type WireError } from "./errors.js"
import { openApi } from "./openapi.js"
import { type Limits, type Outcome, serveRow } from "./serve-row.js"

export interface AppOptions {
  /** Runs what the operations need; the app does not dispose of it. */
  readonly runtime: Pick<
    ManagedRuntime.ManagedRuntime<Ports | Wired, unknown>,
    "runPromise" | "runPromiseExit"
  >
  readonly limits?: Partial<Limits>
  /** Whether every response is checked against its schema; a wrong one is answered `internal` and logged. */
  readonly checkResponses?: boolean
  /** Told of each request once it is answered: never of bodies, questions or secrets. */
  readonly onRequest?: (entry: RequestEntry) => void
  /** Serves `/api/mcp`, where there is one. */
  readonly mcp?: {
    readonly serve: (
      request: Request,
      requestId: string
    ) => Promise<{
      readonly response: Response
      readonly admitted: Admitted | null
      readonly error: string | null
    }>
  }
  /** The origin that the OpenAPI document names, where the server stands behind a proxy. */
  readonly origin?: string
}

/** One answered request, as logs tell it. */
export interface RequestEntry {
  readonly requestId: string
  readonly method: string
  /** The pattern, not the path: `/api/v1/documents/{id}`; null where no route matches. */
  readonly route: string | null
  readonly status: number
  readonly durationMs: number
  readonly workspace: string | null
  readonly keyId: string | null
  /** The code of the error, if there was one. */
  readonly error: string | null
}

const usualLimits: Limits = { bodyBytes: 10 * 1024 * 1024, bodyMs: 30_000 }

type Serve = (
  request: Request,
  url: URL,
  parameters: Readonly<Record<string, string>>,
  requestId: string
) => Promise<Answered>

interface Answered {
  readonly response: Response
  readonly admitted: Admitted | null
  /** The code of the error, if it is one. */
  readonly error: string | null
}

/**
 * The API as one web-standard handler: mount `fetch` in any server. Every path, method and schema comes from the
 * catalog.
 */
export const makeApp = (options: AppOptions): { readonly fetch: (request: Request) => Promise<Response> } => {
  const limits = { ...usualLimits, ...options.limits }
  const routes = new Map<string, Map<string, Serve>>()
  for (const row of catalog) methodsAt(routes, row.path).set(row.method, rowServer(row, limits, options))
  methodsAt(routes, "/api/v1/openapi.json").set("GET", openApiServer(options.origin))
  const { mcp } = options
  if (mcp !== undefined)
    for (const method of ["GET", "POST", "DELETE"])
      methodsAt(routes, "/api/mcp").set(method, (request, _url, _parameters, requestId) =>
        mcp.serve(request, requestId)
      )

  // An address that cannot be decoded never comes to a route: nothing is there.
  const app = new H3({
    silent: true,
    onError: ({ status }, { req, url }) =>
      status < 500 ? answer(req, url, null, undefined) : failure(internal, requestIdOf(req))
  })
  for (const [path, methods] of literalFirst(routes)) {
    app.all(path.replaceAll(/\{([a-zA-Z]+)\}/g, ":$1"), (event) =>
      answer(event.req, event.url, path, methods)
    )
  }
  app.all("/**", (event) => answer(event.req, event.url, null, undefined))

  const answer = async (
    request: Request,
    url: URL,
    route: string | null,
    methods: ReadonlyMap<string, Serve> | undefined
  ): Promise<Response> => {
    const startedAt = performance.now()
    const requestId = requestIdOf(request)
    const parameters = route === null ? undefined : parametersIn(route, url.pathname)
    const { admitted, error, response } = await dispatch(request, url, requestId, parameters, methods)
    options.onRequest?.({
      requestId,
      method: request.method,
      route: parameters === undefined ? null : route,
      status: response.status,
      durationMs: performance.now() - startedAt,
      workspace: admitted?.caller.workspace ?? null,
      keyId: admitted?.key.id ?? null,
      error
    })
    return response
  }

  return { fetch: async (request) => app.fetch(request) }
}

const methodsAt = (routes: Map<string, Map<string, Serve>>, path: string): Map<string, Serve> => {
  const methods = routes.get(path) ?? new Map<string, Serve>()
  routes.set(path, methods)
  return methods
}

/** A literal segment wins over a parameter, in whatever order the rows stand. */
const literalFirst = (routes: ReadonlyMap<string, Map<string, Serve>>) =>
  [...routes].sort(([a], [b]) => a.split("{").length - b.split("{").length)

const dispatch = async (
  request: Request,
  url: URL,
  requestId: string,
  parameters: Readonly<Record<string, string>> | undefined,
  methods: ReadonlyMap<string, Serve> | undefined
): Promise<Answered> => {
  if (parameters === undefined || methods === undefined) return refusal(notFound, requestId)
  const serve = methods.get(request.method)
  if (serve !== undefined) return serve(request, url, parameters, requestId)
  const allow = [...methods.keys()].sort().join(", ")
  const body = { error: "method_not_allowed", message: `Allowed here: ${allow}.` }
  return refusal({ status: 405, body, headers: { allow } }, requestId)
}

const refusal = (error: WireError, requestId: string): Answered => ({
  response: failure(error, requestId),
  admitted: null,
  error: error.body.error
})

const rowServer = (row: Row, limits: Limits, { checkResponses, runtime }: AppOptions): Serve => {
  const serve = serveRow(row, limits)
  return async (request, url, parameters, requestId) => {
    const outcome = await runtime.runPromise(
      serve(request, url, parameters).pipe(
        Effect.annotateLogs({ requestId, route: row.operation.name }),
        Effect.flatMap((one) => (checkResponses === true ? checked(one, row) : Effect.succeed(one)))
      ),
      { signal: request.signal }
    )
    const response = Either.match(outcome.result, {
      onLeft: (error) =>
        failure(error.status === 500 ? { ...error, body: { ...error.body, requestId } } : error, requestId),
      onRight: (body) => json(row.status, body, requestId)
    })
    const error = Either.isLeft(outcome.result) ? outcome.result.left.body.error : null
    return { response, admitted: outcome.admitted, error }
  }
}

/** Holds a response against the schema that the documentation shows. */
const checked = (outcome: Outcome, row: Row): Effect.Effect<Outcome> => {
  if (Either.isLeft(outcome.result)) return Effect.succeed(outcome)
  const { error } = row.operation.output.safeParse(outcome.result.right)
  if (error === undefined) return Effect.succeed(outcome)
  return Effect.as(
    Effect.logError(`The response of ${row.operation.name} breaks its schema: ${error.message}`),
    { ...outcome, result: Either.left(internal) }
  )
}

const openApiServer =
  (origin: string | undefined): Serve =>
  async (request, url, _parameters, requestId) => {
    const { etag, text } = openApi(origin ?? url.origin)
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

/** The caller's own id where it is fit for a header and a log, else a new one. */
const requestIdOf = ({ headers }: Request): string => {
  const given = headers.get("x-request-id")
  return given !== null && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID()
}

/** The parameters of a path that is exactly of the pattern, each decoded once; none where it is not. */
const parametersIn = (pattern: string, pathname: string): Readonly<Record<string, string>> | undefined => {
  const [wanted, given] = [pattern.split("/"), pathname.split("/")]
  if (wanted.length !== given.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [place, part] of wanted.entries()) {
    const segment = given[place] ?? ""
    const name = /^\{(.+)\}$/.exec(part)?.[1]
    if (name === undefined) {
      if (segment !== part) return undefined
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
