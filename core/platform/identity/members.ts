import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { record } from "../audit/index.js"
import { atomically, Caller, Ids, NotFound, now, traced, type UserId } from "../kernel/index.js"
import type { MemberRole, User } from "./model.js"
import { IdentityStore } from "./store.js"

/** Adds a user to the host. */
export const createUser = traced("identity.createUser")(function* (displayName: string) {
  const store = yield* IdentityStore
  const user: User = { id: (yield* Ids).make("user"), displayName, createdAt: yield* now }
  yield* atomically(
    Effect.zipRight(store.insertUser(user), record([{ action: "user.create", subjectId: user.id }]))
  )
  return user
})

/** Adds a user to the caller's workspace, or changes the role of a member. */
export const addMember = traced("identity.addMember")(function* (id: UserId, role: MemberRole) {
  const { workspace } = yield* Caller
  const store = yield* IdentityStore
  if (Option.isNone(yield* store.user(id))) return yield* new NotFound({ what: "user" })
  const at = yield* now
  yield* atomically(
    Effect.zipRight(
      store.putMember(workspace, id, role, at),
      record([{ action: "member.add", subjectId: id, details: { role } }])
    )
  )
})

/** Ends a membership; the user's keys lose access to the workspace. */
export const removeMember = traced("identity.removeMember")(function* (id: UserId) {
  const { workspace } = yield* Caller
  const store = yield* IdentityStore
  yield* atomically(
    Effect.gen(function* () {
      if (!(yield* store.removeMember(workspace, id))) return yield* new NotFound({ what: "member" })
      yield* record([{ action: "member.remove", subjectId: id }])
    })
  )
})
