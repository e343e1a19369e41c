import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as OpenId from "openid-client"
import {
  addMember,
  createUser,
  IdentityStore,
  type Login,
  type MemberRole,
  SessionStore,
  startSession,
  type User
} from "../../core/platform/identity/index.js"
import {
  atomically,
  Caller,
  InsufficientScope,
  now,
  type Scope,
  scopeOf,
  scopes,
  WorkspaceForbidden,
  type WorkspaceId
} from "../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../core/platform/workspace/index.js"
import type { OidcConfig } from "../config.js"
import type { Answered, AppOptions, Serve } from "../http/app.js"
import { type ConsoleConfig, cookieIn, sessionCookie, signInProblem } from "./cookies.js"
import { basePath, safeHeaders } from "./pages.js"
import { limitsOf } from "./session-routes.js"

/** How long a person may take at the provider. */
const attemptSeconds = 600
const callbackPath = "/console/oidc/callback"

/** State of a sign-in, kept in its own cookie until the provider redirects back. */
interface Attempt {
  readonly verifier: string
  readonly nonce: string
  readonly returnTo: string
}

type SignInError =
  | "provider_unavailable"
  | "attempt_unknown"
  | "refused"
  | "no_member"
  | "insecure_connection"

/** Signing in through OpenID Connect: the way to the provider and the way back. None without `consoleOidc`. */
export const oidcRoutes = (
  config: ConsoleConfig,
  runtime: AppOptions["runtime"]
): ReadonlyArray<{ readonly method: string; readonly path: string; readonly serve: Serve }> => {
  const { consoleOidc: oidc } = config
  if (oidc === undefined) return []
  const provider = onceDiscovered(oidc)
  const publicUrl = (url: URL, path: string) =>
    new URL(basePath(config) + path.slice(1), config.origin ?? url.origin)
  const leadTo = (url: URL, path: string, requestId: string, cookies: ReadonlyArray<string>): Answered => {
    const headers = new Headers({
      ...safeHeaders,
      "cache-control": "no-store",
      location: publicUrl(url, path).href,
      "x-request-id": requestId
    })
    for (const cookie of cookies) headers.append("set-cookie", cookie)
    return { response: new Response(null, { status: 303, headers }), admitted: null, error: null }
  }
  const failed = (url: URL, code: SignInError, requestId: string, cookies: ReadonlyArray<string> = []) =>
    leadTo(url, `/?signInError=${code}`, requestId, cookies)
  const note = (message: string, error: unknown) =>
    runtime.runPromise(Effect.logWarning(`${message}: ${error instanceof Error ? error.message : "unknown"}`))

  const start: Serve = async (request, url, _parameters, requestId) => {
    if (signInProblem(request, url, config) !== null) return failed(url, "insecure_connection", requestId)
    try {
      const { configuration, openid } = await provider()
      const [verifier, state, nonce] = [
        openid.randomPKCECodeVerifier(),
        openid.randomState(),
        openid.randomNonce()
      ]
      const address = openid.buildAuthorizationUrl(configuration, {
        redirect_uri: publicUrl(url, callbackPath).href,
        scope: "openid profile email",
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        state,
        nonce
      })
      const attempt: Attempt = { verifier, nonce, returnTo: localPath(url.searchParams.get("returnTo")) }
      const { response } = leadTo(url, "/", requestId, [attemptCookie(state, attempt, config)])
      response.headers.set("location", address.href)
      return { response, admitted: null, error: null }
    } catch (error) {
      await note("The provider of identities cannot be reached", error)
      return failed(url, "provider_unavailable", requestId)
    }
  }

  const callback: Serve = async (request, url, _parameters, requestId) => {
    const state = url.searchParams.get("state") ?? ""
    const attempt = attemptIn(request, state, config)
    if (attempt === null) return failed(url, "attempt_unknown", requestId)
    const endedCookies = [endedAttempt(state, config)]
    const claims = await provider()
      .then(async ({ configuration, openid }) => {
        const back = publicUrl(url, callbackPath)
        back.search = url.search
        const tokens = await openid.authorizationCodeGrant(configuration, back, {
          pkceCodeVerifier: attempt.verifier,
          expectedState: state,
          expectedNonce: attempt.nonce,
          idTokenExpected: true
        })
        return tokens.claims() ?? null
      })
      .catch(async (error: unknown) => {
        await note("A sign-in through the provider of identities failed", error)
        return null
      })
    if (claims === null) return failed(url, "refused", requestId, endedCookies)
    const userAgent = request.headers.get("user-agent") ?? ""
    const signedIn = await runtime.runPromise(
      signInPerson(claims, oidc, config, userAgent).pipe(
        Effect.catchAll(() => Effect.succeed(null)),
        Effect.annotateLogs({ requestId })
      )
    )
    return signedIn === null
      ? failed(url, "no_member", requestId, endedCookies)
      : leadTo(url, attempt.returnTo, requestId, [...endedCookies, sessionCookie(signedIn.token, config)])
  }

  return [
    { method: "GET", path: "/console/oidc/start", serve: start },
    { method: "GET", path: callbackPath, serve: callback }
  ]
}

/** Reads the provider's configuration at the first attempt, and again after a failure. */
const onceDiscovered = (oidc: OidcConfig) => {
  let found: Promise<{ openid: typeof OpenId; configuration: OpenId.Configuration }> | undefined
  return () => {
    found ??= import("openid-client").then(async (openid) => ({
      openid,
      configuration: await openid.discovery(
        new URL(oidc.issuer),
        oidc.clientId,
        undefined,
        oidc.clientSecret === undefined ? openid.None() : openid.ClientSecretPost(oidc.clientSecret),
        oidc.issuer.startsWith("http:") ? { execute: [openid.allowInsecureRequests] } : undefined
      )
    }))
    found.catch(() => {
      found = undefined
    })
    return found
  }
}

/** Only a path of the console itself is returned to. */
const localPath = (given: string | null): string =>
  given !== null && /^\/(?![/\\])[\x21-\x7e]*$/.test(given) && !given.startsWith("/console/") ? given : "/"

/** Each attempt has a cookie of its own, so that two tabs do not disturb each other. Lax: the provider leads back here. */
const attemptName = (state: string, { consoleInsecureCookie }: ConsoleConfig): string =>
  `${consoleInsecureCookie ? "" : "__Host-"}kanon-oidc-${state.slice(0, 24)}`
const attributesOf = ({ consoleInsecureCookie }: ConsoleConfig): string =>
  `Path=/; HttpOnly; SameSite=Lax${consoleInsecureCookie ? "" : "; Secure"}`

const attemptCookie = (state: string, attempt: Attempt, config: ConsoleConfig): string => {
  const value = Buffer.from(JSON.stringify({ ...attempt, state })).toString("base64url")
  return `${attemptName(state, config)}=${value}; ${attributesOf(config)}; Max-Age=${attemptSeconds}`
}
const endedAttempt = (state: string, config: ConsoleConfig): string =>
  `${attemptName(state, config)}=; ${attributesOf(config)}; Max-Age=0`

const attemptIn = (request: Request, state: string, config: ConsoleConfig): Attempt | null => {
  if (!/^[\w-]{20,200}$/.test(state)) return null
  const text = cookieIn(request, attemptName(state, config))
  if (text === undefined) return null
  try {
    const {
      nonce,
      returnTo,
      state: own,
      verifier
    }: Record<string, unknown> = JSON.parse(Buffer.from(text, "base64url").toString("utf8"))
    return own === state && typeof nonce === "string" && typeof verifier === "string"
      ? { nonce, verifier, returnTo: localPath(typeof returnTo === "string" ? returnTo : null) }
      : null
  } catch {
    return null
  }
}

type Claims = Readonly<Record<string, unknown>> & { readonly iss: string; readonly sub: string }

/** Signs in the person of an id token, who is a member of some workspace. */
const signInPerson = Effect.fnUntraced(function* (
  claims: Claims,
  oidc: OidcConfig,
  config: ConsoleConfig,
  userAgent: string
) {
  const [store, sessions] = [yield* IdentityStore, yield* SessionStore]
  const role = roleIn(claims, oidc)
  if (role === null) return yield* new InsufficientScope({ wanted: scopes })
  const user = yield* userOf(claims, oidc, role)
  const [workspaceId] = yield* sessions.workspacesOf(user.id)
  if (workspaceId === undefined) return yield* new WorkspaceForbidden()
  const { items } = yield* store.members(scopeOf(workspaceId), { limit: 200, offset: 0 })
  const currentRole =
    oidc.groups === undefined ? (items.find((one) => one.user.id === user.id)?.role ?? "member") : role
  return yield* startSession(
    {
      method: "oidc",
      actor: user.id,
      userId: user.id,
      keyId: null,
      scopes: scopesOfRole(currentRole, config),
      workspaceId,
      userAgent
    },
    limitsOf(config)
  )
})

const scopesOfRole = (role: MemberRole, { consoleScopes }: ConsoleConfig): ReadonlyArray<Scope> =>
  consoleScopes[role] ?? (role === "admin" ? scopes : scopes.filter((scope) => scope !== "workspace:admin"))

/** Returns the role by the groups of the provider; null for a person who is in none that may sign in. */
const roleIn = (claims: Claims, { groups }: OidcConfig): MemberRole | null => {
  if (groups === undefined) return "member"
  const given = claims[groups.claim]
  const names: ReadonlyArray<unknown> = Array.isArray(given) ? given : [given]
  if (groups.admin.some((name) => names.includes(name))) return "admin"
  return groups.member.some((name) => names.includes(name)) ? "member" : null
}

/**
 * Returns the user of a login. A person is bound by issuer and subject; the first time by a verified e-mail address that
 * belongs to a user without a login of this issuer, or as a new member of the first workspace where that is allowed.
 */
const userOf = Effect.fnUntraced(function* (claims: Claims, oidc: OidcConfig, role: MemberRole) {
  const sessions = yield* SessionStore
  const login: Login = { issuer: claims.iss, subject: claims.sub }
  const known = yield* sessions.userOfLogin(login)
  if (Option.isSome(known)) return known.value
  const email =
    claims["email_verified"] === true && typeof claims["email"] === "string" ? claims["email"] : null
  const at = yield* now
  return yield* atomically(
    Effect.gen(function* () {
      const found =
        email === null ? Option.none<User>() : yield* sessions.unboundUserOfEmail(login.issuer, email)
      const user = Option.isSome(found) ? found.value : yield* newMember(claims, oidc, role)
      if (!(yield* sessions.bindLogin(login, user.id, at))) return yield* new WorkspaceForbidden()
      return user
    })
  )
})

const newMember = Effect.fnUntraced(function* (claims: Claims, oidc: OidcConfig, role: MemberRole) {
  const first = yield* (yield* WorkspaceStore).first
  if (!oidc.createMembers || Option.isNone(first)) return yield* new WorkspaceForbidden()
  const name = claims[oidc.claim]
  const workspace: WorkspaceId = first.value.id
  const made = Effect.gen(function* () {
    const user = yield* createUser(
      typeof name === "string" && name.trim() !== "" ? name.trim().slice(0, 200) : claims.sub
    )
    yield* addMember(user.id, role)
    return user
  })
  return yield* Effect.provideService(made, Caller, {
    workspace: scopeOf(workspace),
    actor: "system",
    activity: "ui"
  })
})
