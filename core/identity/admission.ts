import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import {
  type CallerShape,
  type KeyId,
  now,
  type Scope,
  scopeOf,
  traced,
  Unauthorized,
  WorkspaceForbidden,
  WorkspaceId,
  WorkspaceRequired,
  withSpan
} from "../kernel/index.js"
import { KeyUses } from "./key-uses.js"
import { type ApiKey, type KeyState, legacyScopes } from "./model.js"
import { IdentityStore, KeySecrets } from "./store.js"

/** Returns the state of a key at a moment. */
export const keyState = (key: Pick<ApiKey, "expiresAt" | "revokedAt">, at: string): KeyState => {
  if (key.revokedAt !== null && key.revokedAt <= at) return "revoked"
  return key.expiresAt !== null && key.expiresAt <= at ? "expired" : "active"
}

/** Returns the scopes of a key. */
export const scopesOf = ({ scopes }: Pick<ApiKey, "scopes">): ReadonlyArray<Scope> =>
  scopes.length === 0 ? legacyScopes : scopes

/**
 * Returns the workspace of a call with this key. A key for exactly one workspace needs no header and accepts no
 * other; any other key must name a workspace within its grant. The store checks whether the owner of a user key is
 * still a member.
 */
export const workspaceFor = (
  key: ApiKey,
  header: string | undefined,
  at: string
): Either.Either<WorkspaceId, Unauthorized | WorkspaceForbidden | WorkspaceRequired> => {
  if (keyState(key, at) !== "active") return Either.left(new Unauthorized())
  const only = key.grant !== "all" && key.grant.length === 1 ? key.grant[0] : undefined
  if (header === undefined)
    return only === undefined ? Either.left(new WorkspaceRequired()) : Either.right(only)
  const named = WorkspaceId.safeParse(header)
  if (!named.success) return Either.left(new WorkspaceForbidden())
  return key.grant === "all" || key.grant.includes(named.data)
    ? Either.right(named.data)
    : Either.left(new WorkspaceForbidden())
}

/** An admitted caller, and its key for logs. */
export interface Admitted {
  readonly caller: CallerShape
  readonly key: ApiKey
}

/**
 * Admits the bearer of a secret to a workspace. Membership of a user key's owner is checked on every call, so leaving
 * a workspace ends access at once.
 */
export const admit = (
  secret: string,
  workspaceHeader: string | undefined,
  activity: CallerShape["activity"]
) => withSpan("identity.admit")(admission(secret, workspaceHeader, activity))

const admission = (secret: string, workspaceHeader: string | undefined, activity: CallerShape["activity"]) =>
  Effect.gen(function* () {
    const hash = (yield* KeySecrets).hashOf(secret)
    if (Option.isNone(hash)) return yield* new Unauthorized()
    const store = yield* IdentityStore
    const found = yield* store.keyByHash(hash.value)
    if (Option.isNone(found)) return yield* new Unauthorized()
    const key = found.value
    const workspace = yield* workspaceFor(key, workspaceHeader, yield* now)
    if (key.userId !== null && !(yield* store.isMember(workspace, key.userId)))
      return yield* new WorkspaceForbidden()
    yield* (yield* KeyUses).note(key)
    const caller: CallerShape = {
      workspace: scopeOf(workspace),
      actor: key.id,
      activity,
      scopes: scopesOf(key)
    }
    return { caller, key } satisfies Admitted
  })

/** Returns whether an admitted bearer would still be admitted; records no use. */
export const isStillAdmitted = traced("identity.isStillAdmitted")(function* (
  id: KeyId,
  workspace: WorkspaceId
) {
  const store = yield* IdentityStore
  const found = yield* store.key(id)
  if (Option.isNone(found)) return false
  const { grant, userId } = found.value
  if (keyState(found.value, yield* now) !== "active") return false
  if (grant !== "all" && !grant.includes(workspace)) return false
  return userId === null || (yield* store.isMember(workspace, userId))
})
