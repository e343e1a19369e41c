import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  addMember,
  createUser,
  IdentityStore,
  type Login,
  type MemberRole,
  startSession,
  takeGroups,
  type User
} from "../../core/platform/identity/index.js"
import {
  atomically,
  Caller,
  type CallerShape,
  InsufficientScope,
  now,
  scopeOf,
  scopes,
  WorkspaceForbidden
} from "../../core/platform/kernel/index.js"
import { type Workspace, WorkspaceStore } from "../../core/platform/workspace/index.js"
import type { OidcConfig } from "../config.js"
import type { Answered, AppOptions, Serve } from "../http/app.js"
import { type ConsoleConfig, cookieIn, sessionCookie, signInProblem } from "./cookies.js"
import { type Claims, identityProvider, reasonOf, type SignInAttempt } from "./identity-provider.js"
import { basePath, safeHeaders } from "./pages.js"
import { limitsOf } from "./session-routes.js"

/** How long a person may take at the provider. */
const attemptSeconds = 600
const callbackPath = "/console/oidc/callback"

/** State of a sign-in, kept in its own cookie until the provider redirects back. */
interface Attempt extends SignInAttempt {
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
  const note = (message: string, error: unknown) =>
    runtime.runPromise(Effect.logWarning(`${message}: ${reasonOf(error)}`))
  const provider = identityProvider(oidc, note)
  const publicUrl = (url: URL, path: string) =>
    new URL(basePath(config) + path.slice(1), config.origin ?? url.origin)
  const leadTo = (url: URL, path: string, requestId: string, cookies: ReadonlyArray<string>): Answered => {
    const headers = new Headers({
      ...safeHeaders,
      "cache-control": "no-store",
      location: withinConsole(publicUrl(url, path), publicUrl(url, "/")),
      "x-request-id": requestId
    })
    for (const cookie of cookies) headers.append("set-cookie", cookie)
    return { response: new Response(null, { status: 303, headers }), admitted: null, error: null }
  }
  const failed = (url: URL, code: SignInError, requestId: string, cookies: ReadonlyArray<string> = []) =>
    leadTo(url, `/?signInError=${code}`, requestId, cookies)

  const start: Serve = async (request, url, _parameters, requestId) => {
    if (signInProblem(request, url, config) !== null) return failed(url, "insecure_connection", requestId)
    try {
      const { address, attempt } = await provider.begin(publicUrl(url, callbackPath))
      const returnTo = localPath(url.searchParams.get("returnTo"))
      const { response } = leadTo(url, "/", requestId, [attemptCookie({ ...attempt, returnTo }, config)])
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
    const back = publicUrl(url, callbackPath)
    back.search = url.search
    const claims = await provider.claims(back, attempt).catch(async (error: unknown) => {
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

/** Only a path of the console itself is returned to; what it resolves to is checked where it is used. */
const localPath = (given: string | null): string =>
  given !== null && /^\/(?![/\\])[\x21-\x7e]*$/.test(given) && !given.startsWith("/console/") ? given : "/"

/** Returns an address if it is a page below the one of the console, and else that one: `..` may lead out of its path. */
const withinConsole = (wanted: URL, home: URL): string =>
  wanted.origin === home.origin &&
  wanted.pathname.startsWith(home.pathname) &&
  !wanted.pathname.startsWith(`${home.pathname}console/`)
    ? wanted.href
    : home.href

/** Each attempt has a cookie of its own, so that two tabs do not disturb each other. Lax: the provider leads back here. */
const attemptName = (state: string, { consoleInsecureCookie }: ConsoleConfig): string =>
  `${consoleInsecureCookie ? "" : "__Host-"}kanon-oidc-${state.slice(0, 24)}`
const attributesOf = ({ consoleInsecureCookie }: ConsoleConfig): string =>
  `Path=/; HttpOnly; SameSite=Lax${consoleInsecureCookie ? "" : "; Secure"}`

const attemptCookie = (attempt: Attempt, config: ConsoleConfig): string => {
  const value = Buffer.from(JSON.stringify(attempt)).toString("base64url")
  return `${attemptName(attempt.state, config)}=${value}; ${attributesOf(config)}; Max-Age=${attemptSeconds}`
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
      ? { state, nonce, verifier, returnTo: localPath(typeof returnTo === "string" ? returnTo : null) }
      : null
  } catch {
    return null
  }
}

/** Signs in the person of an id token, who is a member of some workspace. */
const signInPerson = Effect.fnUntraced(function* (
  claims: Claims,
  oidc: OidcConfig,
  config: ConsoleConfig,
  userAgent: string
) {
  const role = roleIn(claims, oidc)
  if (role === null) return yield* new InsufficientScope({ wanted: scopes })
  const user = yield* userOf(claims, oidc, role)
  if (oidc.groups !== undefined) yield* takeRole(user, role)
  yield* takeNamedGroups(user, claims, oidc)
  const [workspaceId] = yield* (yield* IdentityStore).sessions.workspacesOf(user.id)
  if (workspaceId === undefined) return yield* new WorkspaceForbidden()
  return yield* startSession(
    {
      method: "oidc",
      actor: user.id,
      userId: user.id,
      keyId: null,
      scopes: null,
      workspaceId,
      userAgent
    },
    limitsOf(config)
  )
})

/** Gives a member of the first workspace the role that the provider names; elsewhere roles are set here alone. */
const takeRole = Effect.fnUntraced(function* (user: User, role: MemberRole) {
  const first = yield* (yield* WorkspaceStore).first
  if (Option.isNone(first)) return
  const held = yield* (yield* IdentityStore).role(first.value.id, user.id)
  if (Option.isSome(held) && held.value !== role)
    yield* Effect.provideService(addMember(user.id, role), Caller, bySignIn(first.value))
})

/** Takes over the groups that the provider names, in each workspace of the user; without a claim they stay. */
const takeNamedGroups = Effect.fnUntraced(function* (user: User, claims: Claims, { groups }: OidcConfig) {
  const given = claims[groups?.claim ?? "groups"]
  if (given === undefined) return
  const named: ReadonlyArray<unknown> = Array.isArray(given) ? given : [given]
  const names = named.filter((name) => typeof name === "string")
  for (const workspace of yield* (yield* IdentityStore).sessions.workspacesOf(user.id))
    yield* Effect.provideService(takeGroups(user.id, names), Caller, bySignIn({ id: workspace }))
})

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
  const sessions = (yield* IdentityStore).sessions
  const login: Login = { issuer: claims.iss, subject: claims.sub }
  const known = yield* sessions.userOfLogin(login)
  if (Option.isSome(known)) return known.value
  // Some providers write it as a text.
  const isVerified = claims["email_verified"] === true || claims["email_verified"] === "true"
  const email = isVerified && typeof claims["email"] === "string" ? claims["email"] : null
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
  const made = Effect.gen(function* () {
    const user = yield* createUser(
      typeof name === "string" && name.trim() !== "" ? name.trim().slice(0, 200) : claims.sub
    )
    yield* addMember(user.id, role)
    return user
  })
  return yield* Effect.provideService(made, Caller, bySignIn(first.value))
})

/** The caller who records what a sign-in changes. */
const bySignIn = ({ id }: Pick<Workspace, "id">): CallerShape => ({
  workspace: scopeOf(id),
  actor: "system",
  activity: "ui"
})
