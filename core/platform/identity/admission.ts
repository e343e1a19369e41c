import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  type CallerShape,
  Ids,
  now,
  scopeOf,
  Unauthorized,
  WorkspaceForbidden,
  withSpan
} from "../kernel/index.js"
import { workspaceFor } from "./key-scopes.js"
import { KeyUses } from "./key-uses.js"
import type { ApiKey } from "./model.js"
import { callerReading } from "./principals.js"
import { rightsIn } from "./rights.js"
import { IdentityStore } from "./store.js"

/** An admitted caller, and its key for logs. */
export interface Admitted {
  readonly caller: CallerShape
  readonly key: ApiKey
}

/**
 * Admits the bearer of a secret to a workspace. Membership and role of the key's user are looked up on every call, so
 * leaving a workspace ends access at once, and a lower role cuts the scopes of the key at once.
 */
export const admit = (
  secret: string,
  workspaceHeader: string | undefined,
  activity: CallerShape["activity"]
) => withSpan("identity.admit")(admission(secret, workspaceHeader, activity))

const admission = (secret: string, workspaceHeader: string | undefined, activity: CallerShape["activity"]) =>
  Effect.gen(function* () {
    const hash = (yield* Ids).secrets.hashOf(secret)
    if (Option.isNone(hash)) return yield* new Unauthorized()
    const found = yield* (yield* IdentityStore).keyByHash(hash.value)
    if (Option.isNone(found)) return yield* new Unauthorized()
    const key = found.value
    const workspace = yield* workspaceFor(key, workspaceHeader, yield* now)
    const rights = yield* rightsIn(workspace, { key })
    if (Option.isNone(rights)) return yield* new WorkspaceForbidden()
    yield* (yield* KeyUses).note(key)
    const caller: CallerShape = {
      workspace: scopeOf(workspace),
      actor: key.id,
      activity,
      scopes: rights.value
    }
    return { caller: yield* callerReading(caller, { key, userId: null }), key } satisfies Admitted
  })
