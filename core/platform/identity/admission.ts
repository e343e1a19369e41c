import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  type CallerShape,
  type KeyId,
  now,
  scopeOf,
  traced,
  Unauthorized,
  WorkspaceForbidden,
  type WorkspaceId,
  withSpan
} from "../kernel/index.js"
import { keyState, scopesOf, workspaceFor } from "./key-scopes.js"
import { KeyUses } from "./key-uses.js"
import type { ApiKey } from "./model.js"
import { IdentityStore, KeySecrets } from "./store.js"

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
