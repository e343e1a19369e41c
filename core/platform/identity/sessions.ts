import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  atomically,
  type CallerShape,
  Ids,
  millisOf,
  now,
  type Scope,
  type SessionId,
  scopeOf,
  scopes,
  timestampOf,
  traced,
  Unauthorized,
  UserId,
  WorkspaceForbidden,
  WorkspaceId
} from "../kernel/index.js"
import { WorkspaceStore } from "../workspace/index.js"
import { keyState, scopesOf, workspaceFor } from "./key-scopes.js"
import { KeyUses } from "./key-uses.js"
import { earlier } from "./last-admin-key.js"
import type { ApiKey, Session } from "./model.js"
import { IdentityStore, KeySecrets, SessionStore } from "./store.js"

/** How long sessions last. */
export interface SessionLimits {
  /** Milliseconds without a use after which a session ends. */
  readonly idleMs: number
  /** Milliseconds after which it ends in any case. */
  readonly maxMs: number
}

/** An admitted session and who acts by it. */
export interface SessionAdmission {
  readonly session: Session
  readonly caller: CallerShape
  readonly key: ApiKey | null
}

/** A new session with its token, which only its holder learns. */
export interface SignedIn {
  readonly session: Session
  readonly token: string
}

/** A link that `kanon console` prints can be followed for so long. */
const linkMs = 5 * 60_000
/** Minimum time between two records of the use of a session. */
const touchEveryMs = 60_000
const userAgentMax = 300

/** Returns when a session ends without a further use. */
export const sessionEnd = (
  { expiresAt, lastSeenAt }: Pick<Session, "expiresAt" | "lastSeenAt">,
  { idleMs }: SessionLimits
): string => earlier(expiresAt, timestampOf(millisOf(lastSeenAt) + idleMs)) ?? expiresAt

/**
 * Starts a session in a transaction of its own. The token is new: one that a browser held before is never taken over.
 */
export const startSession = traced("identity.startSession")(function* (
  wish: Pick<Session, "method" | "actor" | "userId" | "keyId" | "scopes" | "workspaceId" | "userAgent">,
  { maxMs }: SessionLimits
) {
  const store = yield* SessionStore
  const at = yield* now
  const { hash, token } = yield* (yield* KeySecrets).makeToken
  const session: Session = {
    ...wish,
    id: (yield* Ids).make("session"),
    isLink: false,
    userAgent: wish.userAgent.slice(0, userAgentMax),
    createdAt: at,
    lastSeenAt: at,
    expiresAt: timestampOf(millisOf(at) + maxMs)
  }
  yield* atomically(Effect.zipRight(store.prune(at), store.insert(session, hash)))
  return { session, token } satisfies SignedIn
})

/**
 * Signs in with a key. A user key signs in its owner unless `asMember` is false; a workspace key signs in no member.
 * Unauthorized for a key that opens nothing, WorkspaceForbidden for a workspace that it does not reach.
 */
export const signInByKey = traced("identity.signInByKey")(function* (
  secret: string,
  options: {
    readonly workspaceId: string | undefined
    readonly asMember: boolean
    readonly userAgent: string
    readonly limits: SessionLimits
  }
) {
  const store = yield* IdentityStore
  const hash = (yield* KeySecrets).hashOf(secret)
  const found = Option.isNone(hash) ? Option.none<ApiKey>() : yield* store.keyByHash(hash.value)
  if (Option.isNone(found)) return yield* new Unauthorized()
  const key = found.value
  if (keyState(key, yield* now) !== "active") return yield* new Unauthorized()
  const member = key.kind === "user" && options.asMember ? key.userId : null
  const reach = { keyId: key.id, userId: member }
  const [first] = yield* workspacesReached(reach, key)
  const wished = options.workspaceId ?? first
  if (wished === undefined) return yield* new WorkspaceForbidden()
  const workspaceId = yield* workspaceFor(key, wished, yield* now)
  if (key.userId !== null && !(yield* store.isMember(workspaceId, key.userId)))
    return yield* new WorkspaceForbidden()
  yield* (yield* KeyUses).note(key)
  return yield* startSession(
    {
      method: "key",
      actor: member ?? key.id,
      ...reach,
      scopes: null,
      workspaceId,
      userAgent: options.userAgent
    },
    options.limits
  )
})

/** Makes a link of the host's command line, which acts as a member or as the local user, with every scope. */
export const makeLink = traced("identity.makeLink")(function* (actor: string, workspaceId: WorkspaceId) {
  const at = yield* now
  const { hash, token } = yield* (yield* KeySecrets).makeToken
  const link: Session = {
    id: (yield* Ids).make("session"),
    method: "link",
    isLink: true,
    actor,
    userId: UserId.safeParse(actor).data ?? null,
    keyId: null,
    scopes,
    workspaceId,
    userAgent: "",
    createdAt: at,
    lastSeenAt: at,
    expiresAt: timestampOf(millisOf(at) + linkMs)
  }
  yield* (yield* SessionStore).insert(link, hash)
  return token
})

/** Signs in with the token of a link, which is good once. */
export const signInByLink = traced("identity.signInByLink")(function* (
  token: string,
  options: { readonly userAgent: string; readonly limits: SessionLimits }
) {
  const hash = (yield* KeySecrets).hashOfToken(token)
  if (Option.isNone(hash)) return yield* new Unauthorized()
  const link = yield* (yield* SessionStore).takeLink(hash.value)
  if (Option.isNone(link) || link.value.expiresAt <= (yield* now)) return yield* new Unauthorized()
  return yield* startSession({ ...link.value, userAgent: options.userAgent }, options.limits)
})

/**
 * Admits the holder of a session's token to a workspace, as the member, with the activity `ui`. Key, membership and
 * expiry are checked on every call.
 */
export const admitSession = traced("identity.admitSession")(function* (
  token: string,
  workspaceHeader: string | undefined,
  limits: SessionLimits
) {
  const hash = (yield* KeySecrets).hashOfToken(token)
  const found = Option.isNone(hash) ? Option.none<Session>() : yield* (yield* SessionStore).byHash(hash.value)
  if (Option.isNone(found)) return yield* new Unauthorized()
  const session = found.value
  const at = yield* now
  const key = yield* goodKeyOf(session, at, limits)
  const workspace = yield* workspaceIn(session, key, workspaceHeader ?? session.workspaceId)
  if (millisOf(at) - millisOf(session.lastSeenAt) >= touchEveryMs)
    yield* (yield* SessionStore).touch(session.id, at).pipe(
      // A use that is not recorded shortens the session; the call itself is good.
      Effect.catchAllCause((cause) => Effect.logWarning("The use of a session could not be recorded.", cause))
    )
  if (key !== null) yield* (yield* KeyUses).note(key)
  const caller: CallerShape = {
    workspace: scopeOf(workspace),
    actor: session.actor,
    activity: "ui",
    scopes: scopesOfSession(session, key),
    sessionId: session.id,
    ...(key === null ? {} : { keyId: key.id })
  }
  return { session, caller, key } satisfies SessionAdmission
})

const scopesOfSession = ({ scopes: own }: Session, key: ApiKey | null): ReadonlyArray<Scope> =>
  own ?? (key === null ? [] : scopesOf(key))

/** Returns the key of a live session, null for one without. Unauthorized when session or key have ended. */
const goodKeyOf = Effect.fnUntraced(function* (session: Session, at: string, limits: SessionLimits) {
  if (sessionEnd(session, limits) <= at) return yield* new Unauthorized()
  if (session.keyId === null) return null
  const found = yield* (yield* IdentityStore).key(session.keyId)
  if (Option.isNone(found) || keyState(found.value, at) !== "active") return yield* new Unauthorized()
  return found.value
})

/** Returns the named workspace if the session reaches it now. */
const workspaceIn = Effect.fnUntraced(function* (session: Session, key: ApiKey | null, named: string) {
  const at = yield* now
  const workspace =
    key === null
      ? WorkspaceId.safeParse(named).data
      : // The name is given, so the key needs none.
        yield* Effect.catchTag(workspaceFor(key, named, at), "WorkspaceRequired", () =>
          Effect.succeed(undefined)
        )
  if (workspace === undefined) return yield* new WorkspaceForbidden()
  const member = session.userId ?? key?.userId ?? null
  const isIn =
    member !== null
      ? yield* (yield* IdentityStore).isMember(workspace, member)
      : key !== null || (yield* (yield* WorkspaceStore).readable).some(({ id }) => id === workspace)
  return isIn ? workspace : yield* new WorkspaceForbidden()
})

/** Returns the workspaces that a session reaches, with their names, in order of creation. */
export const workspacesOfSession = traced("identity.workspacesOfSession")(function* ({
  key,
  session
}: Pick<SessionAdmission, "key" | "session">) {
  const reached = new Set(yield* workspacesReached(session, key))
  const all = yield* (yield* WorkspaceStore).readable
  return all.filter(({ id }) => reached.has(id)).map(({ id, name }) => ({ id, name }))
})

const workspacesReached = Effect.fnUntraced(function* (
  { userId }: Pick<Session, "userId">,
  key: ApiKey | null
) {
  const all = (yield* (yield* WorkspaceStore).readable).map(({ id }) => id)
  const member = userId ?? key?.userId ?? null
  const own = member === null ? all : yield* (yield* SessionStore).workspacesOf(member)
  const grant = key === null ? "all" : key.grant
  return all.filter((id) => own.includes(id) && (grant === "all" || grant.includes(id)))
})

/** Whether a session that was admitted to a workspace still would be; records no use. */
export const isSessionLive = traced("identity.isSessionLive")(function* (
  id: SessionId,
  workspace: WorkspaceId,
  limits: SessionLimits
) {
  const session = (yield* (yield* SessionStore).all).find((one) => one.id === id)
  if (session === undefined) return false
  return yield* goodKeyOf(session, yield* now, limits).pipe(
    Effect.flatMap((key) => workspaceIn(session, key, workspace)),
    Effect.as(true),
    Effect.catchAll(() => Effect.succeed(false))
  )
})

/**
 * Lists live sessions, newest first: those of the caller, and with `workspace:admin` those of everybody who reaches the
 * caller's workspace.
 */
export const listSessions = traced("identity.listSessions")(function* (
  caller: Pick<CallerShape, "actor" | "scopes" | "workspace"> | null,
  limits: SessionLimits
) {
  const at = yield* now
  const live = (yield* (yield* SessionStore).all).filter((session) => sessionEnd(session, limits) > at)
  if (caller === null) return live
  return yield* Effect.filter(live, (session) =>
    session.actor === caller.actor
      ? Effect.succeed(true)
      : caller.scopes?.includes("workspace:admin") === true
        ? isSessionLive(session.id, caller.workspace, limits)
        : Effect.succeed(false)
  )
})

/** Ends a session at once; false if there is none. */
export const endSession = traced("identity.endSession")(function* (id: SessionId) {
  return yield* (yield* SessionStore).remove(id)
})
