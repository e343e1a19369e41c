import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  atomically,
  type CallerShape,
  Ids,
  millisOf,
  now,
  type PageRequest,
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
import { keyState, reaches, workspaceFor } from "./key-scopes.js"
import { KeyUses } from "./key-uses.js"
import { earlier } from "./last-admin-key.js"
import type { ApiKey, Session } from "./model.js"
import { callerReading } from "./principals.js"
import { rightsIn } from "./rights.js"
import { IdentityStore, type LiveAt } from "./store.js"

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
/** Most sessions that a person has at once, through whichever keys; the oldest ends where another one begins. */
const sessionsOfPersonMax = 20
/** Most sessions of a key that signs in no member; a team may share one. */
const sessionsOfKeyMax = 100

/** How long an assistant may act for a person, and how long without a use. */
export const clientLimits: SessionLimits = { idleMs: 30 * 86_400_000, maxMs: 365 * 86_400_000 }

/** Returns when a session ends without a further use. */
export const sessionEnd = (
  { expiresAt, lastSeenAt, method }: Pick<Session, "expiresAt" | "lastSeenAt" | "method">,
  { idleMs }: SessionLimits
): string => {
  const idle = method === "client" ? clientLimits.idleMs : idleMs
  return earlier(expiresAt, timestampOf(millisOf(lastSeenAt) + idle)) ?? expiresAt
}

/**
 * Starts a session in a transaction of its own, and ends the oldest ones beyond the bound of its person or key. The
 * token is new: one that a browser held before is never taken over.
 */
export const startSession = traced("identity.startSession")(function* (
  wish: Pick<Session, "method" | "actor" | "userId" | "keyId" | "scopes" | "workspaceId" | "userAgent">,
  { maxMs }: SessionLimits
) {
  const store = (yield* IdentityStore).sessions
  const at = yield* now
  const { hash, token } = yield* (yield* Ids).secrets.makeToken
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
  // After the commit, so that of concurrent sign-ins the last one counts the others.
  yield* store.keepNewest(session, session.actor === session.keyId ? sessionsOfKeyMax : sessionsOfPersonMax)
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
  const hash = (yield* Ids).secrets.hashOf(secret)
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
  if (Option.isNone(yield* rightsIn(workspaceId, { key }))) return yield* new WorkspaceForbidden()
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

/**
 * Makes a link of the host's command line. It acts as the local user with every scope, or as a member with what the
 * member's role allows.
 */
export const makeLink = traced("identity.makeLink")(function* (actor: string, workspaceId: WorkspaceId) {
  const at = yield* now
  const { hash, token } = yield* (yield* Ids).secrets.makeToken
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
  yield* (yield* IdentityStore).sessions.insert(link, hash)
  return token
})

/** Signs in with the token of a link, which is good once. */
export const signInByLink = traced("identity.signInByLink")(function* (
  token: string,
  options: { readonly userAgent: string; readonly limits: SessionLimits }
) {
  const hash = (yield* Ids).secrets.hashOfToken(token)
  if (Option.isNone(hash)) return yield* new Unauthorized()
  const link = yield* (yield* IdentityStore).sessions.takeLink(hash.value)
  if (Option.isNone(link) || link.value.expiresAt <= (yield* now)) return yield* new Unauthorized()
  return yield* startSession({ ...link.value, userAgent: options.userAgent }, options.limits)
})

/**
 * Admits the holder of a session's token to a workspace, as the member, with the activity `ui`. Key, membership, role
 * and expiry are looked up on every call: what the session may do is what they give in this workspace now.
 */
export const admitSession = traced("identity.admitSession")(function* (
  token: string,
  workspaceHeader: string | undefined,
  limits: SessionLimits
) {
  const hash = (yield* Ids).secrets.hashOfToken(token)
  const found = Option.isNone(hash)
    ? Option.none<Session>()
    : yield* (yield* IdentityStore).sessions.byHash(hash.value)
  // What an assistant acts by opens no console.
  if (Option.isNone(found) || found.value.method === "client") return yield* new Unauthorized()
  const session = found.value
  const at = yield* now
  const key = yield* goodKeyOf(session, at, limits)
  const { rights, workspace } = yield* entry(session, key, workspaceHeader ?? session.workspaceId)
  if (millisOf(at) - millisOf(session.lastSeenAt) >= touchEveryMs)
    yield* (yield* IdentityStore).sessions.touch(session.id, at).pipe(
      // A use that is not recorded shortens the session; the call itself is good.
      Effect.catchAllCause((cause) => Effect.logWarning("The use of a session could not be recorded.", cause))
    )
  if (key !== null) yield* (yield* KeyUses).note(key)
  const caller: CallerShape = {
    workspace: scopeOf(workspace),
    actor: session.actor,
    activity: "ui",
    scopes: rights,
    sessionId: session.id,
    ...(key === null ? {} : { keyId: key.id })
  }
  const reading = yield* callerReading(caller, { key, userId: session.userId })
  return { session, caller: reading, key } satisfies SessionAdmission
})

/** Returns the key of a live session, null for one without. Unauthorized when session or key have ended. */
const goodKeyOf = Effect.fnUntraced(function* (session: Session, at: string, limits: SessionLimits) {
  if (sessionEnd(session, limits) <= at) return yield* new Unauthorized()
  if (session.keyId === null) return null
  const found = yield* (yield* IdentityStore).key(session.keyId)
  if (Option.isNone(found) || keyState(found.value, at) !== "active") return yield* new Unauthorized()
  return found.value
})

/** Returns the named workspace and the session's rights there; WorkspaceForbidden if it does not reach it now. */
const entry = Effect.fnUntraced(function* (session: Session, key: ApiKey | null, named: string) {
  const workspace = WorkspaceId.safeParse(named).data
  if (workspace === undefined || (key !== null && !reaches(key, workspace)))
    return yield* new WorkspaceForbidden()
  const isLocal = key === null && session.userId === null
  if (isLocal && !(yield* (yield* WorkspaceStore).readable).some(({ id }) => id === workspace))
    return yield* new WorkspaceForbidden()
  const rights = yield* rightsIn(workspace, { key, session })
  return Option.isSome(rights) ? { workspace, rights: rights.value } : yield* new WorkspaceForbidden()
})

/**
 * Returns a session of an assistant with what it may do in its workspace now: at most the scopes that were allowed, and
 * at most those of the key that began it. Unauthorized once it has ended, WorkspaceForbidden where its person is out.
 */
export const clientRights = Effect.fnUntraced(function* (id: SessionId, workspace: WorkspaceId) {
  const session = Option.getOrNull(yield* (yield* IdentityStore).sessions.get(id))
  if (session === null || session.method !== "client" || session.workspaceId !== workspace)
    return yield* new Unauthorized()
  const key = yield* goodKeyOf(session, yield* now, clientLimits)
  const { rights } = yield* entry(session, key, workspace)
  const allowed = session.scopes ?? []
  return { session, key, rights: rights.filter((scope) => allowed.includes(scope)) }
})

/** Returns the workspaces that a session reaches, with their names and what it may do there, in order of creation. */
export const workspacesOfSession = traced("identity.workspacesOfSession")(function* ({
  key,
  session
}: Pick<SessionAdmission, "key" | "session">) {
  const reached = new Set(yield* workspacesReached(session, key))
  const all = (yield* (yield* WorkspaceStore).readable).filter(({ id }) => reached.has(id))
  return yield* Effect.forEach(all, ({ id, name }) =>
    Effect.map(rightsIn(id, { key, session }), (rights) => ({
      id,
      name,
      scopes: Option.getOrElse(rights, (): ReadonlyArray<Scope> => [])
    }))
  )
})

const workspacesReached = Effect.fnUntraced(function* (
  { userId }: Pick<Session, "userId">,
  key: ApiKey | null
) {
  const all = (yield* (yield* WorkspaceStore).readable).map(({ id }) => id)
  const member = userId ?? key?.userId ?? null
  const own = new Set(member === null ? all : yield* (yield* IdentityStore).sessions.workspacesOf(member))
  return all.filter((id) => own.has(id) && (key === null || reaches(key, id)))
})

/** Returns what a session may do in a workspace now; none once it would no longer be admitted. Records no use. */
export const rightsOfSession = traced("identity.rightsOfSession")(function* (
  id: SessionId,
  workspace: WorkspaceId,
  limits: SessionLimits
) {
  const session = yield* (yield* IdentityStore).sessions.get(id)
  if (Option.isNone(session)) return Option.none<ReadonlyArray<Scope>>()
  return yield* goodKeyOf(session.value, yield* now, limits).pipe(
    Effect.flatMap((key) => entry(session.value, key, workspace)),
    Effect.map(({ rights }) => rights),
    Effect.option
  )
})

/** Who asks for sessions. */
type SessionReader = Pick<CallerShape, "actor" | "scopes" | "workspace">

const seesOthers = ({ scopes: held }: SessionReader): boolean => held?.includes("workspace:admin") === true

const liveNow = ({ idleMs }: SessionLimits) =>
  Effect.map(now, (at): LiveAt => ({ at, usedAfter: timestampOf(millisOf(at) - idleMs) }))

/**
 * Lists live sessions, newest first: those of the caller, and with `workspace:admin` those of everybody who reaches the
 * caller's workspace. The browser of somebody else is named only where the session began in this workspace: in which way
 * people come to other workspaces is not the business of this one.
 */
export const listSessions = traced("identity.listSessions")(function* (
  caller: SessionReader,
  limits: SessionLimits,
  page: PageRequest
) {
  const { actor, workspace } = caller
  const found = yield* (yield* IdentityStore).sessions.list(
    { ...(yield* liveNow(limits)), actor, reaching: seesOthers(caller) ? workspace : null },
    page
  )
  const isShown = (session: Session) => session.actor === actor || session.workspaceId === workspace
  return {
    ...found,
    items: found.items.map((session) => (isShown(session) ? session : { ...session, userAgent: "" }))
  }
})

/** Lists every live session of the host, newest first, for its command line. */
export const sessionsOfHost = (limits: SessionLimits) =>
  Effect.flatMap(liveNow(limits), (live) =>
    Effect.flatMap(IdentityStore, (store) => store.sessions.all(live))
  )

/** Whether the caller may end a session: it is one that `listSessions` lists for them. */
export const mayEndSession = traced("identity.mayEndSession")(function* (
  id: SessionId,
  caller: SessionReader,
  limits: SessionLimits
) {
  const session = yield* (yield* IdentityStore).sessions.get(id)
  if (Option.isNone(session) || sessionEnd(session.value, limits) <= (yield* now)) return false
  if (session.value.actor === caller.actor) return true
  return seesOthers(caller) && Option.isSome(yield* rightsOfSession(id, caller.workspace, limits))
})

/** Ends a session at once; false if there is none. */
export const endSession = traced("identity.endSession")(function* (id: SessionId) {
  return yield* (yield* IdentityStore).sessions.remove(id)
})
