import * as Effect from "effect/Effect"
import {
  addMember,
  createUser,
  IdentityStore,
  type MemberRole,
  removeMember
} from "../../core/identity/index.js"
import { Caller, UserId } from "../../core/kernel/index.js"
import { type Failure, wrongUsage } from "./failure.js"
import { withHost } from "./host.js"
import type { CommonInput } from "./options.js"
import { answer, tableColumns } from "./terminal.js"
import { cleanLine, table } from "./text.js"

export const createPerson = (
  input: CommonInput & { readonly name: string | undefined }
): Effect.Effect<void, Failure> =>
  withHost(input, () =>
    Effect.gen(function* () {
      const name = (input.name ?? "").trim()
      if (name === "" || name.length > 200) return yield* wrongUsage("--name takes 1 to 200 characters.")
      const { displayName, id } = yield* createUser(name)
      yield* answer(
        input.json,
        { id, name: displayName },
        () => `Made the user ${cleanLine(displayName)}: ${id}`
      )
    })
  )

export const listPeople = (input: CommonInput): Effect.Effect<void, Failure> =>
  withHost(input, () =>
    Effect.gen(function* () {
      const users = yield* (yield* IdentityStore).users
      const items = users.map(({ createdAt, displayName, id }) => ({ id, name: displayName, createdAt }))
      yield* answer(input.json, { items, total: items.length }, () =>
        items.length === 0
          ? "No users."
          : table(
              [{ title: "name", shrink: true }, { title: "since" }, { title: "id" }],
              items.map(({ createdAt, id, name }) => [cleanLine(name), createdAt.slice(0, 10), id]),
              tableColumns(),
              (cell) => cell
            )
      )
    })
  )

export const add = (
  input: CommonInput & { readonly user: string | undefined; readonly role: MemberRole | undefined }
): Effect.Effect<void, Failure> =>
  withHost(input, ({ workspace }) =>
    Effect.gen(function* () {
      const userId = yield* userOf(input.user)
      const role = input.role ?? "member"
      yield* addMember(userId, role)
      yield* answer(
        input.json,
        { workspaceId: workspace.id, userId, role },
        () => `${userId} is a member of ${cleanLine(workspace.name)} now (${role}).`
      )
    })
  )

export const remove = (
  input: CommonInput & { readonly user: string | undefined }
): Effect.Effect<void, Failure> =>
  withHost(input, ({ workspace }) =>
    Effect.gen(function* () {
      const userId = yield* userOf(input.user)
      yield* removeMember(userId)
      yield* answer(
        input.json,
        { workspaceId: workspace.id, userId, removed: true },
        () => `${userId} is no member of ${cleanLine(workspace.name)} any more.`
      )
    })
  )

/** Most members that one page holds. */
const pageSize = 200

export const listMembers = (input: CommonInput): Effect.Effect<void, Failure> =>
  withHost(input, () =>
    Effect.gen(function* () {
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
          : table(
              [{ title: "name", shrink: true }, { title: "role" }, { title: "since" }, { title: "id" }],
              items.map(({ id, name, role, since }) => [cleanLine(name), role, since.slice(0, 10), id]),
              tableColumns(),
              (cell) => cell
            )
      )
    })
  )

const userOf = (given: string | undefined): Effect.Effect<UserId, Failure> => {
  const id = UserId.safeParse(given)
  return id.success ? Effect.succeed(id.data) : wrongUsage("Say which user: --user ID (usr_…).")
}
