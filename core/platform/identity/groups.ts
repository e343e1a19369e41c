import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { z } from "zod"
import { AccessStore, GroupName } from "../access/index.js"
import { record } from "../audit/index.js"
import { atomically, Caller, NotFound, operation, traced, UserId } from "../kernel/index.js"
import { IdentityStore } from "./store.js"

/** Lists the groups of the workspace with their members, in order of name. */
export const listGroups = operation({
  name: "listGroups",
  summary: "List the groups of the workspace with their members.",
  scopes: ["workspace:admin"],
  effect: "read",
  input: z.object({}),
  output: z.object({ items: z.array(z.object({ name: GroupName, members: z.array(UserId) })) }),
  faults: [],
  run: () =>
    Effect.gen(function* () {
      const [store, { workspace }] = [yield* AccessStore, yield* Caller]
      const groups = yield* store.groups(workspace)
      return { items: groups.map(({ members, name }) => ({ name, members: [...members] })) }
    })
})

const membership = z.object({ name: GroupName, userId: UserId })
const changed = z.object({ name: GroupName, userId: UserId, changed: z.boolean() })

/** Adds a member of the workspace to a group, which begins with its first member. */
export const addToGroup = operation({
  name: "addToGroup",
  summary: "Add a member of the workspace to a group.",
  scopes: ["workspace:admin"],
  effect: "idempotent",
  input: membership,
  output: changed,
  faults: ["NotFound"],
  run: ({ name, userId }) =>
    atomically(
      Effect.gen(function* () {
        const [store, { workspace }] = [yield* AccessStore, yield* Caller]
        if (Option.isNone(yield* (yield* IdentityStore).role(workspace, userId)))
          return yield* new NotFound({ what: "member" })
        const isNew = yield* store.addToGroup(workspace, name, userId)
        if (isNew) yield* record([{ action: "group.add", subjectId: userId, details: { group: name } }])
        return { name, userId, changed: isNew }
      })
    )
})

/** Takes a user out of a group, which ends with its last member. */
export const removeFromGroup = operation({
  name: "removeFromGroup",
  summary: "Revoke the membership of a user in a group.",
  scopes: ["workspace:admin"],
  effect: "idempotent",
  input: membership,
  output: changed,
  faults: [],
  run: ({ name, userId }) =>
    atomically(
      Effect.gen(function* () {
        const [store, { workspace }] = [yield* AccessStore, yield* Caller]
        const wasIn = yield* store.removeFromGroup(workspace, name, userId)
        if (wasIn) yield* record([{ action: "group.remove", subjectId: userId, details: { group: name } }])
        return { name, userId, changed: wasIn }
      })
    )
})

/** Takes over the groups that a provider of identities names at a sign-in; unusable names are left out. */
export const takeGroups = traced("identity.takeGroups")(function* (
  userId: UserId,
  names: ReadonlyArray<string>
) {
  const { workspace } = yield* Caller
  const usable = [...new Set(names.filter((name) => GroupName.safeParse(name).success))].slice(0, 1000)
  yield* atomically(
    Effect.gen(function* () {
      if (yield* (yield* AccessStore).replaceGroups(workspace, userId, usable))
        yield* record([{ action: "group.sign_in", subjectId: userId, details: { groups: usable } }])
    })
  )
})
