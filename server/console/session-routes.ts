import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { z } from "zod"
import type { Wired } from "../../core/engine/engine/index.js"
import {
  admitSession,
  endSession,
  IdentityStore,
  rightsOfSession,
  type SessionAdmission,
  type SessionLimits,
  type SignedIn,
  type Session as StoredSession,
  sessionEnd,
  signInByKey,
  signInByLink,
  workspacesOfSession
} from "../../core/platform/identity/index.js"
import { type Fault, Ids, invalid, isFault, JsonBoundsReader } from "../../core/platform/kernel/index.js"
import type { Ports } from "../../core/ports.js"
import { failure, reply } from "../http/answer.js"
import type { Answered, AppOptions, Serve } from "../http/app.js"
import { readBody } from "../http/body.js"
import { internal, Refused, type WireError, wireError } from "../http/errors.js"
import { bodyBounds, readJson } from "../http/input.js"
import { type Admission, asBefore } from "../http/serve-row.js"
import { type Attempts, addressOf } from "./attempts.js"
import {
  type ConsoleConfig,
  crossSite,
  csrfOf,
  endedCookie,
  foreignOrigin,
  sessionCookie,
  sessionTokenIn,
  signInProblem
} from "./cookies.js"
import type { Session, SignInMethod, SignInNeeded } from "./model.js"

const bodyLimits = { bytes: 16_384, timeMs: 10_000 }
const bodyValues = 100

export const limitsOf = ({ consoleIdleMs, consoleSessionMs }: ConsoleConfig): SessionLimits => ({
  idleMs: consoleIdleMs,
  maxMs: consoleSessionMs
})

/** Whether a user key signs in its owner; otherwise only people who came through OpenID Connect are members. */
const keysSignInMembers = ({ consoleKeySignIn, consoleOidc }: ConsoleConfig): boolean =>
  consoleKeySignIn ?? consoleOidc === undefined

/** Returns the answer to a request without a session that is good: how to get one. */
const signInNeeded = (request: Request, url: URL, config: ConsoleConfig, withPasskeys = false): Refused => {
  const signIn: ReadonlyArray<SignInMethod> = [
    ...(withPasskeys ? (["passkey"] as const) : []),
    ...(config.consoleOidc === undefined ? [] : (["oidc"] as const)),
    "key"
  ]
  const body: SignInNeeded = {
    error: "unauthorized",
    message: "Sign in to go on.",
    signIn,
    signInProblem: signInProblem(request, url, config)
  }
  return new Refused({ answer: { status: 401, body } })
}

/** Admits the holder of a session, and for a change only a page of this server. */
export const sessionAdmission =
  (config: ConsoleConfig): Admission =>
  (request, url) =>
    Effect.gen(function* () {
      const token = sessionTokenIn(request, config)
      if (token === undefined) return yield* signInNeeded(request, url, config)
      const limits = limitsOf(config)
      const { caller, key, session } = yield* admitSession(
        token,
        request.headers.get("x-workspace-id") ?? undefined,
        limits
      ).pipe(Effect.catchTag("Unauthorized", () => signInNeeded(request, url, config)))
      const refusal = crossSite(request, url, token, config)
      if (refusal !== null) return yield* refusal
      const rights = rightsOfSession(session.id, caller.workspace, limits)
      return { caller, key, stillAdmitted: yield* asBefore(caller, rights, { key, userId: session.userId }) }
    })

const SignInBody = z.union([
  z.strictObject({ key: z.string().trim().min(1).max(500), workspaceId: z.string().optional() }),
  z.strictObject({ token: z.string().trim().min(1).max(500), workspaceId: z.string().optional() })
])

/** Runs the work of a route that needs no session, and answers faults as everywhere. */
export const runOpen =
  (runtime: AppOptions["runtime"]) =>
  async (
    work: Effect.Effect<Answered, Fault | Refused, Ports | Wired>,
    request: Request,
    requestId: string
  ): Promise<Answered> => {
    const outcome = await runtime.runPromise(
      work.pipe(
        Effect.catchAllDefect(
          (defect): Effect.Effect<never, Fault | Refused> =>
            isFault(defect)
              ? Effect.fail(defect)
              : Effect.zipRight(
                  Effect.logError("A request failed.", defect),
                  Effect.fail(new Refused({ answer: { ...internal, body: { ...internal.body, requestId } } }))
                )
        ),
        Effect.annotateLogs({ requestId }),
        Effect.either
      ),
      { signal: request.signal }
    )
    return Either.match(outcome, {
      onLeft: (error) => refusedWith(error instanceof Refused ? error.answer : wireError(error), requestId),
      onRight: (answered) => answered
    })
  }

/** Signs in, tells of a session, and signs out. These need no session, or tell that there is none. */
export const sessionRoutes = (
  config: ConsoleConfig,
  runtime: AppOptions["runtime"],
  attempts: Attempts
): ReadonlyArray<{ readonly method: string; readonly path: string; readonly serve: Serve }> => {
  const path = "/console/session"
  const limits = limitsOf(config)
  const run = runOpen(runtime)
  return [
    {
      method: "POST",
      path,
      serve: (request, url, _parameters, requestId) =>
        run(
          Effect.gen(function* () {
            const succeed = yield* admitSignIn(request, url, config, attempts)
            const given = yield* readShape(request, SignInBody, "Give a key, or the token of a link.")
            const options = {
              workspaceId: given.workspaceId,
              asMember: keysSignInMembers(config),
              userAgent: request.headers.get("user-agent") ?? "",
              limits
            }
            const signedIn = yield* (
              "key" in given ? signInByKey(given.key, options) : signInByLink(given.token, options)
            ).pipe(Effect.catchTag("Unauthorized", () => notAdmitted(request, url, config)))
            yield* succeed
            return yield* begun(signedIn, request, requestId, config)
          }),
          request,
          requestId
        )
    },
    {
      method: "GET",
      path,
      serve: (request, url, _parameters, requestId) =>
        run(
          Effect.gen(function* () {
            const token = sessionTokenIn(request, config)
            const needed = Effect.flatMap(
              Effect.flatMap(IdentityStore, ({ passkeys: { exist } }) => exist),
              (withPasskeys) => signInNeeded(request, url, config, withPasskeys)
            )
            if (token === undefined) return yield* needed
            const admission = yield* admitAnywhere(token, limits).pipe(
              Effect.catchTags({ Unauthorized: () => needed, WorkspaceForbidden: () => needed })
            )
            const body = yield* sessionView(admission, token, config)
            return { response: reply(200, body, requestId), admitted: admission, error: null }
          }),
          request,
          requestId
        )
    },
    {
      method: "DELETE",
      path,
      serve: (request, url, _parameters, requestId) =>
        run(
          Effect.gen(function* () {
            const token = sessionTokenIn(request, config)
            if (token === undefined) return yield* signInNeeded(request, url, config)
            const admission = yield* admitAnywhere(token, limits).pipe(
              Effect.catchTags({
                Unauthorized: () => signInNeeded(request, url, config),
                WorkspaceForbidden: () => signInNeeded(request, url, config)
              })
            )
            const refusal = crossSite(request, url, token, config)
            if (refusal !== null) return yield* refusal
            yield* endSession(admission.session.id)
            const body = { deleted: true, id: admission.session.id }
            return {
              response: reply(200, body, requestId, { "set-cookie": endedCookie(config) }),
              admitted: admission,
              error: null
            }
          }),
          request,
          requestId
        )
    }
  ]
}

/** Admits a session to its own workspace, or to another one when its membership there has ended. */
const admitAnywhere = (token: string, limits: SessionLimits) =>
  admitSession(token, undefined, limits).pipe(
    Effect.catchTag("WorkspaceForbidden", (forbidden) =>
      Effect.gen(function* () {
        const [first] = yield* workspacesOfToken(token)
        return first === undefined ? yield* forbidden : yield* admitSession(token, first.id, limits)
      })
    )
  )

const workspacesOfToken = Effect.fnUntraced(function* (token: string) {
  const hash = (yield* Ids).secrets.hashOfToken(token)
  const found = Option.isNone(hash)
    ? Option.none()
    : yield* (yield* IdentityStore).sessions.byHash(hash.value)
  if (Option.isNone(found)) return []
  const session = found.value
  const key = session.keyId === null ? Option.none() : yield* (yield* IdentityStore).key(session.keyId)
  return yield* workspacesOfSession({ session, key: Option.getOrNull(key) })
})

const notAdmitted = (request: Request, url: URL, config: ConsoleConfig): Refused => {
  const needed = signInNeeded(request, url, config)
  const message = "The key or the link opens nothing: it is unknown, was used before, or has ended."
  return new Refused({ answer: { ...needed.answer, body: { ...needed.answer.body, message } } })
}

/** Reads a small JSON body of a shape; `message` says what it should be. */
export const readShape = <Value>(request: Request, shape: z.ZodType<Value>, message: string) =>
  Effect.gen(function* () {
    const count = new JsonBoundsReader(bodyBounds(bodyValues))
    const bytes = yield* Effect.scoped(readBody(request, bodyLimits, () => Effect.void, count)).pipe(
      Effect.mapError(
        ({ _tag }) =>
          new Refused({
            answer:
              _tag === "UnsupportedMediaType"
                ? {
                    status: 415,
                    body: { error: "unsupported_media_type", message: "The body must be application/json." }
                  }
                : {
                    status: 413,
                    body: { error: "payload_too_large", message: "The body exceeds the limit." }
                  }
          })
      )
    )
    const body = bytes === undefined ? {} : yield* readJson(bytes, count)
    const { data } = shape.safeParse(body)
    return data ?? (yield* invalid([], "invalid_union", message))
  })

/**
 * Returns what takes the attempt back once it has succeeded. Refuses a sign-in that the browser would not keep, that another site sends, or that comes after too many.
 */
export const admitSignIn = Effect.fnUntraced(function* (
  request: Request,
  url: URL,
  config: ConsoleConfig,
  attempts: Attempts
) {
  const foreign = foreignOrigin(request, url, config)
  if (foreign !== null) return yield* foreign
  const problem = signInProblem(request, url, config)
  if (problem !== null)
    return yield* new Refused({
      answer: { status: 400, body: { error: "insecure_connection", message: problem } }
    })
  const address = addressOf(request, config)
  const waitSeconds = attempts.take(address)
  if (waitSeconds > 0)
    return yield* new Refused({
      answer: {
        status: 429,
        body: { error: "rate_limited", message: "Too many attempts to sign in. Try again in a minute." },
        headers: { "retry-after": String(waitSeconds) }
      }
    })
  return Effect.sync(() => attempts.succeed(address))
})

/** Answers a person who has just signed in with the session and its cookie; the browser's former session ends. */
export const begun = Effect.fnUntraced(function* (
  signedIn: SignedIn,
  request: Request,
  requestId: string,
  config: ConsoleConfig
) {
  const limits = limitsOf(config)
  const before = sessionTokenIn(request, config)
  if (before !== undefined)
    yield* admitSession(before, undefined, limits).pipe(
      Effect.flatMap(({ session }) => endSession(session.id)),
      Effect.ignore
    )
  const body = yield* viewOf(signedIn, config)
  return {
    response: reply(201, body, requestId, { "set-cookie": sessionCookie(signedIn.token, config) }),
    admitted: null,
    error: null
  } satisfies Answered
})

/** Returns the session of somebody who has just signed in. */
const viewOf = ({ token }: SignedIn, config: ConsoleConfig) =>
  Effect.flatMap(admitSession(token, undefined, limitsOf(config)), (admission) =>
    sessionView(admission, token, config)
  )

const sessionView = Effect.fnUntraced(function* (
  admission: SessionAdmission,
  token: string,
  config: ConsoleConfig
) {
  const { caller, session } = admission
  return {
    id: session.id,
    member: yield* memberOf(session),
    actor: session.actor,
    method: session.method,
    scopes: caller.scopes ?? [],
    workspaces: yield* workspacesOfSession(admission),
    workspaceId: caller.workspace,
    csrf: csrfOf(token),
    expiresAt: sessionEnd(session, limitsOf(config))
  } satisfies Session
})

/** Returns the member who acts by a session; null where only a key does. */
export const memberOf = Effect.fnUntraced(function* ({ actor, method, userId }: StoredSession) {
  if (userId === null) return method === "link" ? { id: actor, name: actor } : null
  const user = yield* (yield* IdentityStore).user(userId)
  return {
    id: userId,
    name: Option.match(user, { onNone: () => userId, onSome: ({ displayName }) => displayName })
  }
})

const refusedWith = (answer: WireError, requestId: string): Answered => ({
  response: failure(answer, requestId),
  admitted: null,
  error: answer.body.error
})
