import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { record } from "../audit/index.js"
import {
  atomically,
  Caller,
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
  WorkspaceForbidden,
  WorkspaceId,
  type WorkspaceScope
} from "../kernel/index.js"
import type { Session } from "./model.js"
import { callerReading } from "./principals.js"
import { clientLimits, clientRights, startSession } from "./sessions.js"
import { type BoundToken, IdentityStore } from "./store.js"

/** Scopes that a person can give to an assistant: not the administration of a workspace. */
export const clientScopes: ReadonlyArray<Scope> = scopes.filter((scope) => scope !== "workspace:admin")

/** How long a code, an access token and a refresh token are good. */
const lifetimes = { code: 60_000, access: 3_600_000, refresh: clientLimits.idleMs } as const
type TokenKind = keyof typeof lifetimes

/** Prefixes by which a leaked token is recognized. */
const prefixes: Readonly<Record<TokenKind, string>> = {
  code: "svc_ac_",
  access: "svc_at_",
  refresh: "svc_rt_"
}

/** The form of a token: it names its workspace, so that it is looked for there alone. */
const form = /^(svc_(?:ac|at|rt)_)([0-7][0-9a-hjkmnp-tv-z]{25})([\w-]{43})$/

/** Whether a secret is an access token, and not a key. */
export const isAccessToken = (secret: string): boolean => secret.startsWith(prefixes.access)

/** What a person allows an assistant. */
export interface ClientWish {
  readonly clientId: string
  readonly clientName: string
  readonly redirectUri: string
  /** The S256 challenge of the client's code verifier. */
  readonly challenge: string
  readonly scopes: ReadonlyArray<Scope>
}

/** Tokens of a grant; only the client learns them. */
export interface ClientTokens {
  readonly accessToken: string
  readonly refreshToken: string
  readonly expiresInSeconds: number
  readonly scopes: ReadonlyArray<Scope>
}

const parsed = Effect.fnUntraced(function* (token: string, kind: TokenKind) {
  const [, prefix, workspace, secret] = form.exec(token) ?? []
  const hash = Option.flatMap(Option.fromNullable(secret), (yield* Ids).secrets.hashOfToken)
  const id = WorkspaceId.safeParse(`ws_${workspace ?? ""}`).data
  if (prefix !== prefixes[kind] || id === undefined || Option.isNone(hash)) return null
  return { workspace: scopeOf(id), hash: hash.value }
})

const found = Effect.fnUntraced(function* (token: string, kind: TokenKind) {
  const place = yield* parsed(token, kind)
  if (place === null) return null
  const row = Option.getOrNull(yield* (yield* IdentityStore).clientTokens.find(place.workspace, place.hash))
  return row === null || row.kind !== kind ? null : { ...place, row }
})

const issue = Effect.fnUntraced(function* (
  workspace: WorkspaceScope,
  kind: TokenKind,
  sessionId: SessionId | null,
  bound: BoundToken,
  at: string
) {
  const { hash, token } = yield* (yield* Ids).secrets.makeToken
  const expiresAt = timestampOf(millisOf(at) + lifetimes[kind])
  yield* (yield* IdentityStore).clientTokens.insert(
    workspace,
    { kind, sessionId, bound, expiresAt, usedAt: null },
    hash
  )
  return `${prefixes[kind]}${workspace.slice("ws_".length)}${token}`
})

/**
 * Makes the code of an authorization for a person who signed in to the console and agreed. The client acts as that
 * person, in this workspace, with at most these scopes; a session that a key began ends with the key.
 */
export const allowClient = traced("identity.allowClient")(function* (wish: ClientWish, session: Session) {
  const [{ scopes: held = [], workspace }, at] = [yield* Caller, yield* now]
  const allowed = wish.scopes.filter((scope) => held.includes(scope) && clientScopes.includes(scope))
  const { actor, keyId, userId } = session
  const { challenge, clientId, clientName, redirectUri } = wish
  const bound = { clientId, clientName, redirectUri, challenge, scopes: allowed, actor, keyId, userId }
  return yield* atomically(
    Effect.zipRight(
      Effect.flatMap(IdentityStore, (store) => store.clientTokens.prune(workspace, at)),
      issue(workspace, "code", null, bound, at)
    )
  )
})

/**
 * Exchanges a code for tokens, once: None for a code that is unknown, expired, or not of this client, address and
 * challenge. A code that comes a second time ends what the first one began.
 */
export const exchangeCode = traced("identity.exchangeCode")(function* (
  code: string,
  given: Pick<ClientWish, "clientId" | "redirectUri" | "challenge">
) {
  const [one, at, store] = [yield* found(code, "code"), yield* now, (yield* IdentityStore).clientTokens]
  if (one === null) return Option.none<ClientTokens>()
  const { hash, row, workspace } = one
  if (row.usedAt !== null) return yield* endFamily(workspace, row.sessionId)
  const { bound } = row
  const fits =
    row.expiresAt > at &&
    bound.clientId === given.clientId &&
    bound.redirectUri === given.redirectUri &&
    bound.challenge === given.challenge
  return yield* atomically(
    Effect.gen(function* () {
      // A code that was tried with something wrong is not good for a second try.
      if (!(yield* store.use(workspace, hash, at)) || !fits) return Option.none<ClientTokens>()
      const {
        actor = "",
        clientId,
        clientName = "",
        keyId = null,
        scopes: allowed = [],
        userId = null
      } = bound
      const { session } = yield* startSession(
        {
          method: "client",
          actor,
          userId,
          keyId,
          scopes: allowed,
          workspaceId: workspace,
          userAgent: clientName
        },
        clientLimits
      )
      yield* store.bind(workspace, hash, session.id)
      const caller: CallerShape = { workspace, actor, activity: "ui" }
      const details = { clientId, clientName, scopes: allowed }
      yield* Effect.provideService(
        record([{ action: "client.connect", subjectId: session.id, details }]),
        Caller,
        caller
      )
      return Option.some(yield* tokensOf(session, workspace, clientId, at))
    })
  )
})

const tokensOf = (session: Session, workspace: WorkspaceScope, clientId: string, at: string) =>
  Effect.gen(function* () {
    const tokens: ClientTokens = {
      accessToken: yield* issue(workspace, "access", session.id, { clientId }, at),
      refreshToken: yield* issue(workspace, "refresh", session.id, { clientId }, at),
      expiresInSeconds: lifetimes.access / 1000,
      scopes: session.scopes ?? []
    }
    return tokens
  })

/** Ends the grant whose secret came twice: one of the two who hold it should not. */
const endFamily = (workspace: WorkspaceScope, session: SessionId | null) =>
  Effect.gen(function* () {
    if (session !== null) {
      yield* atomically(
        Effect.zipRight(
          Effect.flatMap(IdentityStore, (store) => store.clientTokens.removeOf(workspace, session)),
          Effect.flatMap(IdentityStore, (store) => store.sessions.remove(session))
        )
      )
      yield* Effect.logWarning(`A secret of the session ${session} was used twice: it is ended.`)
    }
    return Option.none<ClientTokens>()
  })

/**
 * Exchanges a refresh token for new tokens. It is good once: whoever brings it a second time ends the whole grant. None
 * where the grant has ended, or the token is not of this client.
 */
export const refreshTokens = traced("identity.refreshTokens")(function* (token: string, clientId: string) {
  const [one, at, store] = [yield* found(token, "refresh"), yield* now, (yield* IdentityStore).clientTokens]
  if (one === null || one.row.bound.clientId !== clientId) return Option.none<ClientTokens>()
  const { hash, row, workspace } = one
  if (row.usedAt !== null) return yield* endFamily(workspace, row.sessionId)
  if (row.expiresAt <= at || row.sessionId === null) return Option.none<ClientTokens>()
  const grant = yield* Effect.option(clientRights(row.sessionId, workspace))
  if (Option.isNone(grant)) return Option.none<ClientTokens>()
  const rotated = yield* atomically(
    Effect.gen(function* () {
      if (!(yield* store.use(workspace, hash, at))) return Option.none<ClientTokens>()
      yield* (yield* IdentityStore).sessions.touch(grant.value.session.id, at)
      yield* store.prune(workspace, at)
      return Option.some(yield* tokensOf(grant.value.session, workspace, clientId, at))
    })
  )
  return Option.isSome(rotated) ? rotated : yield* endFamily(workspace, row.sessionId)
})

/** Ends the grant of a token; nothing where there is none. */
export const revokeToken = traced("identity.revokeToken")(function* (token: string, clientId: string) {
  const one = (yield* found(token, "access")) ?? (yield* found(token, "refresh"))
  const session = one?.row.sessionId ?? null
  if (one === null || session === null || one.row.bound.clientId !== clientId) return
  yield* atomically(
    Effect.zipRight(
      Effect.flatMap(IdentityStore, (store) => store.clientTokens.removeOf(one.workspace, session)),
      Effect.flatMap(IdentityStore, (store) => store.sessions.remove(session))
    )
  )
})

/** A client that is admitted, and the session that it acts by. */
export interface ClientAdmission {
  readonly session: Session
  readonly caller: CallerShape
}

/** Minimum time between two records of the use of a grant. */
const touchEveryMs = 60_000

/**
 * Admits the bearer of an access token to the workspace of its grant, as the member who gave it. Key, membership and
 * role are looked up on every call, as for a session of the console; the grant gives no more than its own scopes.
 */
export const admitClient = traced("identity.admitClient")(function* (
  token: string,
  workspaceHeader: string | undefined,
  activity: CallerShape["activity"]
) {
  const [one, at] = [yield* found(token, "access"), yield* now]
  if (one === null || one.row.sessionId === null || one.row.expiresAt <= at) return yield* new Unauthorized()
  const { workspace } = one
  if (workspaceHeader !== undefined && workspaceHeader !== workspace) return yield* new WorkspaceForbidden()
  const { key, rights, session } = yield* clientRights(one.row.sessionId, workspace)
  if (millisOf(at) - millisOf(session.lastSeenAt) >= touchEveryMs)
    yield* (yield* IdentityStore).sessions
      .touch(session.id, at)
      .pipe(
        Effect.catchAllCause((cause) => Effect.logWarning("The use of a grant could not be recorded.", cause))
      )
  const caller: CallerShape = {
    workspace,
    actor: session.actor,
    activity,
    scopes: rights,
    sessionId: session.id,
    ...(key === null ? {} : { keyId: key.id })
  }
  const reading = yield* callerReading(caller, { key, userId: session.userId })
  return { session, caller: reading } satisfies ClientAdmission
})
