import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  addMember,
  createUser,
  IdentityStore,
  memberRoles,
  removeMember
} from "../../core/platform/identity/index.js"
import { atomically, Caller, UserId } from "../../core/platform/kernel/index.js"
import { command, group, noInput } from "./command.js"
import { type Failure, wrongUsage } from "./failure.js"
import { nameFlag, textFlag } from "./flags.js"
import { withHost } from "./host.js"
import { dayOf, tableOf } from "./tables.js"
import { answer } from "./terminal.js"
import { cleanLine } from "./text.js"

const createCommand = command("create", {
  description: "Add a user.",
  input: z.object({
    name: nameFlag.optional().describe("The display name."),
    email: textFlag("The e-mail address by which OpenID Connect knows the user at first.", "ADDRESS")
  }),
  run: (input) =>
    withHost(input, function* () {
      const { name } = input
      if (name === undefined) return yield* wrongUsage("--name takes 1 to 200 characters.")
      const { email } = input
      const { displayName, id } = yield* atomically(
        Effect.gen(function* () {
          const user = yield* createUser(name)
          if (email !== undefined && !(yield* (yield* IdentityStore).sessions.setEmail(user.id, email)))
            return yield* wrongUsage("--email is the address of another user.")
          return user
        })
      )
      yield* answer(
        input.json,
        { id, name: displayName },
        () => `Made the user ${cleanLine(displayName)}: ${id}`
      )
    })
})

const listUsers = command("list", {
  description: "List users.",
  input: noInput,
  run: (input) =>
    withHost(input, function* () {
      const users = yield* (yield* IdentityStore).users
      const items = users.map(({ createdAt, displayName, id }) => ({ id, name: displayName, createdAt }))
      yield* answer(input.json, { items, total: items.length }, () =>
        items.length === 0
          ? "No users."
          : tableOf(items, ["name", ["since", ({ createdAt }) => dayOf(createdAt)], "id"], {
              shrink: ["name"]
            })
      )
    })
})

const add = command("add", {
  description: "Make a user a member of the workspace.",
  input: z.object({
    user: textFlag("Id of the user (usr_…).", "ID"),
    role: z.enum(memberRoles).optional().describe("What the member may do here at most; member by default.")
  }),
  run: (input) =>
    withHost(input, function* ({ workspace }) {
      const userId = yield* userOf(input.user)
      const role = input.role ?? "member"
      yield* addMember(userId, role)
      yield* answer(
        input.json,
        { workspaceId: workspace.id, userId, role },
        () => `${userId} is a member of ${cleanLine(workspace.name)} now (${role}).`
      )
    })
})

const remove = command("remove", {
  description: "End a membership, effective at once.",
  input: z.object({ user: textFlag("Id of the user (usr_…).", "ID") }),
  run: (input) =>
    withHost(input, function* ({ workspace }) {
      const userId = yield* userOf(input.user)
      yield* removeMember(userId)
      yield* answer(
        input.json,
        { workspaceId: workspace.id, userId, removed: true },
        () => `${userId} is no member of ${cleanLine(workspace.name)} any more.`
      )
    })
})

/** Most members that one page holds. */
const pageSize = 200

const listMembers = command("list", {
  description: "List the members of the workspace.",
  input: noInput,
  run: (input) =>
    withHost(input, function* () {
      const { workspace } = yield* Caller
      const store = yield* IdentityStore
      const first = yield* store.members(workspace, { limit: pageSize, offset: 0 })
      const found = [...first.items]
      while (found.length < first.total) {
        const { items } = yield* store.members(workspace, { limit: pageSize, offset: found.length })
        if (items.length === 0) break
        found.push(...items)
      }
      const items = found.map(({ role, since, user }) => ({
        id: user.id,
        name: user.displayName,
        role,
        since
      }))
      yield* answer(input.json, { items, total: items.length }, () =>
        items.length === 0
          ? "No members."
          : tableOf(items, ["name", "role", ["since", ({ since }) => dayOf(since)], "id"], {
              shrink: ["name"]
            })
      )
    })
})

const userOf = (given: string | undefined): Effect.Effect<UserId, Failure> => {
  const id = UserId.safeParse(given)
  return id.success ? Effect.succeed(id.data) : wrongUsage("Say which user: --user ID (usr_…).")
}

export const userCommands = group("users", "The users of the server.", [createCommand, listUsers])
export const memberCommands = group("members", "The members of a workspace.", [add, remove, listMembers])
