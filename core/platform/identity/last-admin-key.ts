import * as Effect from "effect/Effect"
import { Caller, Conflict, type Scope } from "../kernel/index.js"
import { keyState } from "./key-scopes.js"
import type { ApiKey } from "./model.js"
import { rightsIn, stillHolds } from "./rights.js"
import { IdentityStore } from "./store.js"

/** Returns the earlier of two ends; null never comes. */
export const earlier = (a: string | null, b: string | null): string | null =>
  a === null ? b : b === null ? a : a < b ? a : b

/**
 * Fails if an administrator's key would end and no other one lasts as long: without one nobody could administer the
 * workspace over the API any more. Runs in the unit of work of the change and after it, when the audit event has
 * locked the trail, so that of concurrent changes the later one sees the earlier.
 */
export const refuseLosingAdmin = (ending: ApiKey, at: string) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    if (keyState(ending, at) !== "active" || !ending.scopes.includes(adminScope)) return
    // A key whose maker is no admin here administers nothing, so nothing is lost with it.
    if (!stillHolds([adminScope], yield* rightsIn(workspace, { key: ending }))) return
    const keys = yield* (yield* IdentityStore).keysOf(workspace)
    const remains = keys.some(
      (one) =>
        one.id !== ending.id &&
        keyState(one, at) === "active" &&
        one.scopes.includes(adminScope) &&
        earlier(one.expiresAt, ending.expiresAt) === ending.expiresAt &&
        (one.userId === null || one.userId === ending.userId)
    )
    if (!remains)
      return yield* new Conflict({
        message:
          "It is the last key that can administer the workspace: no other one with workspace:admin lasts as long."
      })
  })

const adminScope: Scope = "workspace:admin"
