import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { z } from "zod"
import type { Wired } from "../../core/engine/engine/index.js"
import {
  allowClient,
  type ClientTokens,
  clientScopes,
  exchangeCode,
  IdentityStore,
  refreshTokens,
  revokeToken
} from "../../core/platform/identity/index.js"
import { Caller, type Fault, isFault, type Scope } from "../../core/platform/kernel/index.js"
import type { Ports } from "../../core/ports.js"
import type { ConsoleConfig } from "../console/cookies.js"
import type { ClientConsent } from "../console/model.js"
import { basePath } from "../console/pages.js"
import { sessionAdmission } from "../console/session-routes.js"
import { reply } from "../http/answer.js"
import type { Answered, AppOptions, ConsoleRoutes, Serve } from "../http/app.js"
import { internal, Refused, type WireError, wireError } from "../http/errors.js"
import { clientOf, type FetchMetadata, isRedirectOf, type KnownClient, registered } from "./clients.js"
import {
  fetchMetadataOf,
  issuerOf,
  mcpPath,
  paths,
  resourceAt,
  resourceMetadata,
  type SignInConfig,
  serverMetadata
} from "./metadata.js"
import { readText } from "./read-text.js"

type Run = <A>(
  work: Effect.Effect<A, Fault | Refused, Ports | Wired>,
  request: Request
) => Promise<Either.Either<A, WireError>>

/** Sign-in of MCP clients: an authorization server (OAuth 2.1) whose people sign in through the console. */
export const signInRoutes = (
  config: ConsoleConfig & SignInConfig,
  runtime: AppOptions["runtime"],
  fetchMetadata: FetchMetadata = fetchMetadataOf()
): ConsoleRoutes["open"] => {
  if (!config.mcpSignIn) return []
  const base = basePath(config).replace(/\/$/u, "")
  const run: Run = (work, request) =>
    runtime.runPromise(
      work.pipe(
        Effect.mapError((fault) => (fault instanceof Refused ? fault.answer : wireError(fault))),
        Effect.catchAllDefect((defect) =>
          isFault(defect)
            ? Effect.fail(wireError(defect))
            : Effect.zipRight(Effect.logError("A request failed.", defect), Effect.fail(internal))
        ),
        Effect.either
      ),
      { signal: request.signal }
    )
  /** Serves only where the server knows by which name it is reached. */
  const named =
    (serve: (request: Request, issuer: string, requestId: string, url: URL) => Promise<Answered>): Serve =>
    async (request, url, _parameters, requestId) => {
      const issuer = issuerOf(request, config)
      return issuer === null
        ? answered(404, { error: "not_found" }, requestId)
        : serve(request, issuer, requestId, url)
    }
  const document = (of: (issuer: string) => object): Serve =>
    named(async (_request, issuer, requestId) => answered(200, of(issuer), requestId))
  return [
    { method: "GET", path: paths.resource, serve: document(resourceMetadata) },
    { method: "GET", path: paths.resource + mcpPath, serve: document(resourceMetadata) },
    { method: "GET", path: paths.server, serve: document(serverMetadata) },
    // Of an issuer with a path, clients ask for this one (RFC 8414, 3.1).
    ...(base === "" ? [] : [{ method: "GET", path: paths.server + base, serve: document(serverMetadata) }]),
    { method: "POST", path: paths.register, serve: named(register) },
    {
      method: "POST",
      path: paths.token,
      serve: named((request, issuer, requestId) => tokens(request, issuer, requestId, run))
    },
    {
      method: "POST",
      path: paths.revoke,
      serve: named(async (request, _issuer, requestId) => {
        const form = await readForm(request)
        if (form === null) return oauthError("invalid_request", "A form with token and client_id.", requestId)
        const done = await run(revokeToken(form.get("token") ?? "", form.get("client_id") ?? ""), request)
        return Either.isLeft(done)
          ? answered(done.left.status, done.left.body, requestId)
          : answered(200, {}, requestId)
      })
    },
    ...(["preview", "grant"] as const).map((step) => ({
      method: "POST",
      path: step === "preview" ? "/console/clients/preview" : "/console/clients",
      serve: named(async (request, issuer, requestId, url) => {
        const admission = await run(sessionAdmission(config)(request, url), request)
        if (Either.isLeft(admission))
          return answered(admission.left.status, admission.left.body, requestId, admission.left.headers)
        const { caller } = admission.right
        const asked = await authorizationIn(request, issuer, fetchMetadata)
        if (Either.isLeft(asked)) {
          const body = { error: "invalid_body", issues: [{ path: [], code: "client", message: asked.left }] }
          return { ...answered(400, body, requestId), admitted: admission.right }
        }
        const consent = consentTo(asked.right, caller.scopes ?? [])
        if (step === "preview") return { ...answered(200, consent, requestId), admitted: admission.right }
        const granted = await run(
          granting(asked.right, issuer).pipe(Effect.provideService(Caller, caller)),
          request
        )
        return {
          ...(Either.isLeft(granted)
            ? answered(granted.left.status, granted.left.body, requestId)
            : answered(200, { redirectTo: granted.right }, requestId)),
          admitted: admission.right
        }
      })
    }))
  ]
}

const answered = (
  status: number,
  body: object,
  requestId: string,
  headers: Readonly<Record<string, string>> = {}
): Answered => ({
  response: reply(status, body, requestId, headers),
  admitted: null,
  error: status < 400 || !("error" in body) ? null : String(body.error)
})

const oauthError = (error: string, message: string, requestId: string): Answered =>
  answered(400, { error, error_description: message }, requestId)

/** Dynamic client registration (RFC 7591), stateless. */
const register = async (request: Request, _issuer: string, requestId: string): Promise<Answered> => {
  const body = parsedJson(await readText(request))
  const client = registered(body)
  if (Either.isLeft(client)) return oauthError("invalid_client_metadata", client.left, requestId)
  const { id, name, redirectUris } = client.right
  return answered(
    201,
    {
      client_id: id,
      client_name: name,
      redirect_uris: redirectUris,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none"
    },
    requestId
  )
}

const parsedJson = (text: string | null): unknown => {
  try {
    return JSON.parse(text ?? "")
  } catch {
    return undefined
  }
}

const formType = /^application\/x-www-form-urlencoded\s*(?:;|$)/iu

/** The fields of a form; null for another body, or one with a field twice. */
const readForm = async (request: Request): Promise<URLSearchParams | null> => {
  if (!formType.test(request.headers.get("content-type") ?? "")) return null
  const text = await readText(request)
  const form = text === null ? null : new URLSearchParams(text)
  return form === null || new Set(form.keys()).size !== [...form.keys()].length ? null : form
}

/** What the S256 challenge of a code verifier is (RFC 7636). */
const challengeOf = (verifier: string): string => createHash("sha256").update(verifier).digest("base64url")
const verifierForm = /^[\w.~-]{43,128}$/u

const tokens = async (request: Request, issuer: string, requestId: string, run: Run): Promise<Answered> => {
  const form = await readForm(request)
  if (form === null) return oauthError("invalid_request", "A form, with each field once.", requestId)
  const resource = form.get("resource")
  if (resource !== null && resource !== resourceAt(issuer))
    return oauthError("invalid_target", `Tokens are for ${resourceAt(issuer)}.`, requestId)
  const clientId = form.get("client_id") ?? ""
  const grantType = form.get("grant_type")
  const verifier = form.get("code_verifier") ?? ""
  if (grantType !== "authorization_code" && grantType !== "refresh_token")
    return oauthError("unsupported_grant_type", "authorization_code or refresh_token.", requestId)
  if (grantType === "authorization_code" && !verifierForm.test(verifier))
    return oauthError("invalid_request", "code_verifier: is missing or malformed.", requestId)
  const given = await run(
    grantType === "refresh_token"
      ? refreshTokens(form.get("refresh_token") ?? "", clientId)
      : exchangeCode(form.get("code") ?? "", {
          clientId,
          redirectUri: form.get("redirect_uri") ?? "",
          challenge: challengeOf(verifier)
        }),
    request
  )
  if (Either.isLeft(given)) return answered(given.left.status, given.left.body, requestId)
  return Option.match(given.right, {
    onNone: () => oauthError("invalid_grant", "Unknown, expired or used before: sign in again.", requestId),
    onSome: (one) => answered(200, tokenResponse(one), requestId)
  })
}

const tokenResponse = ({ accessToken, expiresInSeconds, refreshToken, scopes }: ClientTokens) => ({
  access_token: accessToken,
  token_type: "Bearer",
  expires_in: expiresInSeconds,
  refresh_token: refreshToken,
  scope: scopes.join(" ")
})

const Short = z.string().max(2000)
/** An authorization request, as the page got it, and what its person says to it. */
const Authorization = z.object({
  request: z.object({
    client_id: Short,
    redirect_uri: Short.optional(),
    response_type: Short.optional(),
    code_challenge: Short.optional(),
    code_challenge_method: Short.optional(),
    scope: Short.optional(),
    state: Short.optional(),
    resource: Short.optional()
  }),
  allow: z.boolean().optional(),
  scopes: z.array(z.enum(clientScopes)).max(clientScopes.length).optional()
})

interface Asked {
  readonly given: z.output<typeof Authorization>
  readonly client: KnownClient
  readonly redirectUri: string
  /** What is wrong with the request, which the client is told. */
  readonly error: { readonly code: string; readonly message: string } | null
}

/** Reads an authorization request. Left where it is not safe to send anybody to its address. */
const authorizationIn = async (
  request: Request,
  issuer: string,
  fetchMetadata: FetchMetadata
): Promise<Either.Either<Asked, string>> => {
  const read = Authorization.safeParse(parsedJson(await readText(request)))
  if (!read.success) return Either.left("The request of the assistant is malformed.")
  const { request: wanted } = read.data
  const client = await clientOf(wanted.client_id, fetchMetadata)
  if (client === null)
    return Either.left("The assistant is unknown: its registration or its metadata document cannot be read.")
  const redirectUri =
    wanted.redirect_uri ?? (client.redirectUris.length === 1 ? client.redirectUris[0] : undefined)
  if (redirectUri === undefined || !isRedirectOf(client, redirectUri))
    return Either.left("The assistant asks for an answer at an address that is not its own.")
  return Either.right({ given: read.data, client, redirectUri, error: wrongIn(wanted, issuer) })
}

const wrongIn = (wanted: z.output<typeof Authorization>["request"], issuer: string): Asked["error"] => {
  const { code_challenge: challenge = "", code_challenge_method: method, resource, response_type } = wanted
  if (response_type !== "code")
    return { code: "unsupported_response_type", message: "response_type is code." }
  if (method !== "S256" || !/^[\w-]{43}$/u.test(challenge))
    return { code: "invalid_request", message: "PKCE with S256 is required." }
  if (resource !== undefined && resource !== resourceAt(issuer))
    return { code: "invalid_target", message: `Tokens are for ${resourceAt(issuer)}.` }
  const known = new Set<string>(clientScopes)
  const unknown = scopesIn(wanted.scope).find((scope) => !known.has(scope))
  return unknown === undefined ? null : { code: "invalid_scope", message: `There is no scope ${unknown}.` }
}

const scopesIn = (scope: string | undefined): ReadonlyArray<string> =>
  (scope ?? "").split(" ").filter((one) => one !== "")

/** Scopes that are ticked where an assistant asks for none. */
const usual: ReadonlyArray<Scope> = ["kb:read", "agents:run"]

/** What the person is asked: who wants what, and what of it they could give. */
const consentTo = (
  { client, error, given, redirectUri }: Asked,
  held: ReadonlyArray<Scope>
): ClientConsent => {
  const wanted = scopesIn(given.request.scope)
  const { host, hostname, protocol } = new URL(redirectUri)
  return {
    client: { name: client.name, host: client.host },
    redirectHost: protocol === "https:" || protocol === "http:" ? host || hostname : protocol,
    scopes: clientScopes
      .filter((scope) => held.includes(scope))
      .map((scope) => ({ scope, isAsked: (wanted.length === 0 ? usual : wanted).includes(scope) })),
    problem: error?.message ?? null
  }
}

/** Returns where the browser goes with the answer: a code, or why there is none. */
const granting = Effect.fnUntraced(function* ({ client, error, given, redirectUri }: Asked, issuer: string) {
  const { allow, request, scopes = [] } = given
  const { sessionId, scopes: held = [] } = yield* Caller
  const session =
    sessionId === undefined ? Option.none() : yield* (yield* IdentityStore).sessions.get(sessionId)
  const isAllowed = allow === true && Option.isSome(session) && scopes.some((scope) => held.includes(scope))
  const answer =
    error !== null
      ? { error: error.code, error_description: error.message }
      : isAllowed
        ? {
            code: yield* allowClient(
              {
                clientId: client.id,
                clientName: client.name,
                redirectUri,
                challenge: request.code_challenge ?? "",
                scopes
              },
              session.value
            )
          }
        : { error: "access_denied" }
  const address = new URL(redirectUri)
  for (const [name, value] of Object.entries({ ...answer, state: request.state, iss: issuer }))
    if (value !== undefined) address.searchParams.set(name, value)
  return address.href
})
