import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  type KeyId,
  now,
  type Scope,
  scopes,
  traced,
  type UserId,
  type WorkspaceId
} from "../kernel/index.js"
import { keyState, reaches, scopesOf } from "./key-scopes.js"
import type { ApiKey, MemberRole, Session } from "./model.js"
import { IdentityStore } from "./store.js"

/** What a member may do in a workspace at most, by role. */
export type ScopesByRole = Readonly<Record<MemberRole, ReadonlyArray<Scope>>>

/** The scopes of roles where the host sets no others. */
export const rolePresets: ScopesByRole = {
  admin: scopes,
  curator: scopes.filter((scope) => scope !== "workspace:admin"),
  member: scopes.filter((scope) => scope !== "workspace:admin" && scope !== "reports:write"),
  reader: ["agents:run", "runs:read", "kb:read", "reports:read"]
}

/** The scopes of roles on this host. */
export class RoleScopes extends Context.Reference<RoleScopes>()("kanon/RoleScopes", {
  defaultValue: (): ScopesByRole => rolePresets
}) {}

/** Scopes that somebody holds in a workspace; none for somebody who may not enter it. */
export type Rights = Option.Option<ReadonlyArray<Scope>>

/**
 * Returns what the holder of a session or key may do in a workspace at this moment: the scopes of the key, or of a
 * session without one its own, cut to the role that its member has in this very workspace. Nothing here is cached, so a
 * change of role or membership holds from the next request. The caller checks the state and the grant of the key.
 */
export const rightsIn = Effect.fnUntraced(function* (
  workspace: WorkspaceId,
  held: { readonly key: ApiKey | null; readonly session?: Pick<Session, "userId" | "scopes"> }
) {
  const { key, session = { userId: null, scopes: null } } = held
  const member = session.userId ?? key?.userId ?? null
  const own = key === null ? session.scopes : scopesOf(key)
  if (member === null) return Option.some<ReadonlyArray<Scope>>(own ?? [])
  const rights = yield* rightsOfMember(workspace, member)
  return own === null ? rights : Option.map(rights, (most) => own.filter((scope) => most.includes(scope)))
})

/** Returns what the role of a user in a workspace allows now; none for somebody who is no member. */
export const rightsOfMember = Effect.fnUntraced(function* (workspace: WorkspaceId, member: UserId) {
  const role = yield* (yield* IdentityStore).role(workspace, member)
  const byRole = yield* RoleScopes
  return Option.map(role, (one) => byRole[one])
})

/** Returns what the bearer of a key may do in a workspace now; none once it would no longer be admitted. */
export const rightsOfKey = traced("identity.rightsOfKey")(function* (id: KeyId, workspace: WorkspaceId) {
  const found = yield* (yield* IdentityStore).key(id)
  if (Option.isNone(found)) return Option.none<ReadonlyArray<Scope>>()
  const key = found.value
  if (keyState(key, yield* now) !== "active" || !reaches(key, workspace))
    return Option.none<ReadonlyArray<Scope>>()
  return yield* rightsIn(workspace, { key })
})

/** Whether somebody who was admitted with these scopes still holds every one of them. */
export const stillHolds = (admittedWith: ReadonlyArray<Scope>, present: Rights): boolean =>
  Option.exists(present, (held) => admittedWith.every((scope) => held.includes(scope)))
