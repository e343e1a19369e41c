import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { record } from "../audit/index.js"
import {
  atomically,
  Caller,
  type CallerShape,
  Conflict,
  Ids,
  type InvitationId,
  millisOf,
  NotFound,
  now,
  scopeOf,
  timestampOf,
  traced,
  type UserId,
  type WorkspaceId
} from "../kernel/index.js"
import { keyState, reaches } from "./key-scopes.js"
import { addMember, createUser, removeMember } from "./members.js"
import type { Invitation, MemberRole, Passkey } from "./model.js"
import { RoleScopes } from "./rights.js"
import { IdentityStore } from "./store.js"

/** An invitation can be used for so long. */
const invitationMs = 7 * 86_400_000

/** A passkey as a browser made it, verified. */
export type NewPasskey = Pick<Passkey, "id" | "publicKey" | "counter" | "transports" | "name">

/**
 * Makes an invitation to the caller's workspace, and the token that its link holds. With `user` the link is for a member
 * whose passkey is lost: it replaces all of them, so the caller has to be an admin of every workspace of that member.
 */
export const invite = traced("identity.invite")(function* (role: MemberRole, user: UserId | null) {
  const [store, { actor, workspace }] = [(yield* IdentityStore).invitations, yield* Caller]
  const at = yield* now
  const { hash, token } = yield* (yield* Ids).secrets.makeToken
  const invitation: Invitation = {
    id: (yield* Ids).make("invitation"),
    role: user === null ? role : yield* roleForReplacement(user),
    userId: user,
    createdBy: actor,
    createdAt: at,
    expiresAt: timestampOf(millisOf(at) + invitationMs),
    usedAt: null,
    usedBy: null,
    revokedAt: null
  }
  yield* atomically(
    Effect.zipRight(
      store.insert(workspace, invitation, hash),
      record([
        {
          action: "member.invite",
          subjectId: invitation.id,
          details: { role: invitation.role, ...(user === null ? {} : { userId: user }) }
        }
      ])
    )
  )
  return { invitation, token }
})

const roleForReplacement = Effect.fnUntraced(function* (user: UserId) {
  const [identity, { actor, scopes, workspace }] = [yield* IdentityStore, yield* Caller]
  const role = yield* identity.role(workspace, user)
  if (Option.isNone(role)) return yield* new NotFound({ what: "member" })
  if (scopes === undefined) return role.value
  const others = (yield* (yield* IdentityStore).sessions.workspacesOf(user)).filter((id) => id !== workspace)
  for (const id of others) {
    const own = yield* roleOfActor(id, actor)
    if (own !== "admin")
      return yield* new Conflict({
        message:
          "This person is also a member of a workspace that you do not administer. Only an administrator of all of them can make the link."
      })
  }
  return role.value
})

const roleOfActor = (workspace: WorkspaceId, actor: string) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* IdentityStore).members(
      scopeOf(workspace),
      { limit: 1000, offset: 0 },
      "admin"
    )
    return items.some(({ user }) => user.id === actor) ? "admin" : null
  })

/** Lists invitations that can still be used, newest first. */
export const listInvitations = Effect.gen(function* () {
  const [store, { workspace }] = [(yield* IdentityStore).invitations, yield* Caller]
  return yield* store.open(workspace, yield* now)
})

/** Takes an invitation back. */
export const revokeInvitation = traced("identity.revokeInvitation")(function* (id: InvitationId) {
  const [store, { workspace }] = [(yield* IdentityStore).invitations, yield* Caller]
  yield* atomically(
    Effect.gen(function* () {
      if (!(yield* store.revoke(workspace, id, yield* now)))
        return yield* new NotFound({ what: "invitation" })
      yield* record([{ action: "invitation.revoke", subjectId: id }])
    })
  )
})

/** Returns the invitation of a token while it can be used. */
export const usableInvitation = Effect.fnUntraced(function* (workspace: WorkspaceId, token: string) {
  const hash = (yield* Ids).secrets.hashOfToken(token)
  const at = yield* now
  const found = Option.isNone(hash)
    ? Option.none<Invitation>()
    : yield* (yield* IdentityStore).invitations.find(scopeOf(workspace), hash.value)
  const usable = Option.filter(
    found,
    ({ expiresAt, revokedAt, usedAt }) => usedAt === null && revokedAt === null && expiresAt > at
  )
  return Option.isSome(usable) && Option.isSome(hash)
    ? { invitation: usable.value, hash: hash.value }
    : yield* new NotFound({ what: "invitation" })
})

/**
 * Uses an invitation: a new user with a passkey becomes a member, or a member gets this passkey in place of all others
 * and has to sign in again everywhere. Of several who try at once one wins; NotFound for the others.
 */
export const join = traced("identity.join")(function* (
  workspace: WorkspaceId,
  token: string,
  person: { readonly name: string; readonly passkey: NewPasskey }
) {
  const { hash, invitation } = yield* usableInvitation(workspace, token)
  const at = yield* now
  const work = Effect.gen(function* () {
    const [invitations, passkeys] = [(yield* IdentityStore).invitations, (yield* IdentityStore).passkeys]
    const isNew = invitation.userId === null
    const userId = invitation.userId ?? (yield* createUser(person.name)).id
    if (!(yield* invitations.use(scopeOf(workspace), hash, { at, user: userId })))
      return yield* new NotFound({ what: "invitation" })
    if (isNew) yield* addMember(userId, invitation.role)
    else {
      yield* passkeys.removeOf(userId)
      yield* passkeys.endSessions(userId)
    }
    yield* storePasskey(userId, person.passkey)
    return userId
  })
  return yield* Effect.provideService(atomically(work), Caller, bySignIn(workspace))
})

/** Adds a passkey of a user, in the caller's unit of work. */
export const storePasskey = Effect.fnUntraced(function* (userId: UserId, passkey: NewPasskey) {
  const at = yield* now
  const added = yield* (yield* IdentityStore).passkeys.insert({
    ...passkey,
    userId,
    createdAt: at,
    lastUsedAt: null
  })
  if (!added) return yield* new Conflict({ message: "This passkey is in use already." })
  yield* record([{ action: "passkey.add", subjectId: userId, details: { name: passkey.name } }])
})

/** The caller who records what a sign-in changes. */
const bySignIn = (workspace: WorkspaceId): CallerShape => ({
  workspace: scopeOf(workspace),
  actor: "system",
  activity: "ui"
})

const refuseLosingLastAdmin = Effect.fnUntraced(function* (id: UserId) {
  const [identity, { workspace }] = [yield* IdentityStore, yield* Caller]
  const { items } = yield* identity.members(workspace, { limit: 2, offset: 0 }, "admin")
  if (items.length === 1 && items[0]?.user.id === id)
    return yield* new Conflict({ message: "This is the last administrator of the workspace." })
})

/** Changes the role of a member; it holds from their next request. Conflict for the last administrator. */
export const changeRole = traced("identity.changeRole")(function* (id: UserId, role: MemberRole) {
  const [identity, { workspace }] = [yield* IdentityStore, yield* Caller]
  yield* atomically(
    Effect.gen(function* () {
      if (Option.isNone(yield* identity.role(workspace, id))) return yield* new NotFound({ what: "member" })
      // The audit event locks the trail, so that of concurrent changes the later one sees the earlier.
      yield* record([{ action: "member.role", subjectId: id, details: { role } }])
      if (role !== "admin") yield* refuseLosingLastAdmin(id)
      yield* identity.putMember(workspace, id, role, yield* now)
    })
  )
})

/**
 * Ends a membership from the next request on. A person who is a member of no workspace any more is signed out
 * everywhere, and their user keys end. Conflict for the last administrator.
 */
export const endMembership = traced("identity.endMembership")(function* (id: UserId) {
  const identity = yield* IdentityStore
  yield* atomically(
    Effect.gen(function* () {
      yield* record([{ action: "member.end", subjectId: id }])
      yield* refuseLosingLastAdmin(id)
      yield* removeMember(id)
      const left = yield* (yield* IdentityStore).sessions.workspacesOf(id)
      if (left.length > 0) return
      yield* (yield* IdentityStore).passkeys.endSessions(id)
      const at = yield* now
      const keys = (yield* identity.allKeys).filter((key) => key.kind === "user" && key.userId === id)
      yield* Effect.forEach(
        keys.filter((key) => keyState(key, at) === "active"),
        (key) => identity.endKey(key.id, { revokedAt: at, expiresAt: key.expiresAt, replacedBy: null }),
        { discard: true }
      )
    })
  )
})

/** Lists the members of the caller's workspace with when they were last seen and how they can sign in. */
export const membersWithAccess = Effect.gen(function* () {
  const [identity, { workspace }] = [yield* IdentityStore, yield* Caller]
  const { items } = yield* identity.members(workspace, { limit: 200, offset: 0 })
  const access = yield* (yield* IdentityStore).passkeys.access(items.map(({ user }) => user.id))
  const at = yield* now
  const byRole = yield* RoleScopes
  const keys = (yield* identity.allKeys).filter(
    (key) => key.kind === "user" && keyState(key, at) === "active" && reaches(key, workspace)
  )
  return items.map(({ role, since, user }) => ({
    id: user.id,
    displayName: user.displayName,
    role,
    scopes: byRole[role],
    since,
    lastSeenAt: access.get(user.id)?.lastSeenAt ?? null,
    passkeys: access.get(user.id)?.passkeys ?? 0,
    logins: access.get(user.id)?.logins ?? 0,
    keys: keys.filter(({ userId }) => userId === user.id)
  }))
})
