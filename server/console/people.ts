import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { z } from "zod"
import { IdentityStore } from "../../core/platform/identity/index.js"
import { Caller, KeyId, operation, scopes, UserId } from "../../core/platform/kernel/index.js"
import { row } from "../catalog/row.js"
import type { People } from "./model.js"

/** Names for ids of members and keys, which the console shows in place of ids. */
type Person = People["items"][number]

const Names = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      kind: z.enum(["member", "key", "local", "system", "unknown"])
    })
  )
})

const people = operation({
  name: "people",
  summary: "List the names of members and keys of the workspace in the order of their ids.",
  scopes,
  effect: "read",
  input: z.object({ ids: z.string().max(20_000).describe("At most 200, separated by commas.") }),
  output: Names,
  faults: [],
  run: ({ ids }) =>
    Effect.map(
      Effect.forEach(
        ids
          .split(",")
          .filter((id) => id !== "")
          .slice(0, 200),
        personOf
      ),
      (items) => ({ items })
    )
})

/** Somebody who is no member and a key that does not reach the workspace are not named. */
const personOf = (id: string) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* IdentityStore, yield* Caller]
    const unknown: Person = { id, name: id, kind: "unknown" }
    if (id === "local") return { id, name: "Local user", kind: "local" } satisfies Person
    if (id === "member") return { id, name: "A member", kind: "member" } satisfies Person
    if (id === "system") return { id, name: "System", kind: "system" } satisfies Person
    const member = UserId.safeParse(id).data
    if (member !== undefined) {
      const user = Option.getOrNull(yield* store.user(member))
      if (user === null || Option.isNone(yield* store.role(workspace, member))) return unknown
      return { id, name: user.displayName, kind: "member" } satisfies Person
    }
    const keyId = KeyId.safeParse(id).data
    const key = keyId === undefined ? null : Option.getOrNull(yield* store.key(keyId))
    if (key === null) return unknown
    const reaches =
      key.grant === "all"
        ? key.userId !== null && Option.isSome(yield* store.role(workspace, key.userId))
        : key.grant.includes(workspace)
    return reaches ? ({ id, name: key.name, kind: "key" } satisfies Person) : unknown
  })

export const peopleRow = row(people, "GET", "/console/people")
