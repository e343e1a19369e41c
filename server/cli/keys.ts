import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  type ApiKey,
  findWorkspace,
  type Grant,
  IdentityStore,
  keyItem,
  keyState,
  mintAsHost,
  revokeAsHost,
  rotateAsHost
} from "../../core/identity/index.js"
import {
  KeyId,
  Moment,
  NotFound,
  now,
  type Scope,
  scopes,
  UserId,
  WorkspaceId
} from "../../core/kernel/index.js"
import { type Failure, wrongUsage } from "./failure.js"
import { withHost } from "./host.js"
import type { CommonInput } from "./options.js"
import { answer, paint, tableColumns } from "./terminal.js"
import { cleanLine, table } from "./text.js"

export const create = (
  input: CommonInput & {
    readonly kind: "workspace" | "user" | undefined
    readonly name: string | undefined
    readonly scopes: string | undefined
    readonly workspaces: string | undefined
    readonly expires: string | undefined
    readonly user: string | undefined
  }
): Effect.Effect<void, Failure> =>
  withHost(input, ({ workspace }) =>
    Effect.gen(function* () {
      const kind = input.kind ?? "workspace"
      const wanted = yield* grantOf(input.workspaces, workspace.id)
      const wish = {
        name: yield* nameOf(input.name ?? kind),
        scopes: yield* scopesOf(input.scopes),
        expiresAt: yield* momentOf(input.expires)
      }
      if (kind === "workspace") {
        if (input.user !== undefined) return yield* wrongUsage("--user belongs to --kind user.")
        const [only, ...more] = wanted === "all" ? [] : wanted
        if (only === undefined || more.length > 0)
          return yield* wrongUsage("A workspace key reaches exactly one workspace: --workspaces ID.")
        yield* known(only)
        const made = yield* mintAsHost({ ...wish, owner: { kind, workspace: only } })
        return yield* show(input.json, made)
      }
      const user = UserId.safeParse(input.user)
      if (!user.success) return yield* wrongUsage("A user key needs its owner: --user ID (usr_…).")
      const made = yield* mintAsHost({ ...wish, owner: { kind, user: user.data, grant: wanted } })
      yield* show(input.json, made)
    })
  )

export const list = (input: CommonInput): Effect.Effect<void, Failure> =>
  withHost(input, () =>
    Effect.gen(function* () {
      const keys = yield* (yield* IdentityStore).allKeys
      const at = yield* now
      const items = keys.map((key) => ({
        ...keyItem(key),
        workspaces: key.grant,
        userId: key.userId,
        state: keyState(key, at)
      }))
      yield* answer(input.json, { items, total: items.length }, () => {
        const rows = items.map(({ id, kind, name, prefix, scopes: held, state, workspaces }) => [
          cleanLine(name),
          kind,
          state,
          `${prefix}…`,
          workspaces === "all" ? "all" : `${workspaces.length}`,
          held.length === 0 ? "(from before scopes)" : held.join(" "),
          id
        ])
        const columns = ["name", "kind", "state", "key", "workspaces", "scopes", "id"]
        return items.length === 0
          ? "No keys."
          : table(
              columns.map((title) => ({ title, ...(title === "scopes" ? { shrink: true } : {}) })),
              rows,
              tableColumns(),
              (cell) => cell
            )
      })
    })
  )

export const revoke = (input: CommonInput & { readonly id: string }): Effect.Effect<void, Failure> =>
  withHost(input, () =>
    Effect.gen(function* () {
      const ack = yield* revokeAsHost(yield* keyId(input.id))
      yield* answer(input.json, ack, () => `Revoked ${ack.id}. It opens nothing from the next request on.`)
    })
  )

export const rotate = (
  input: CommonInput & { readonly id: string; readonly grace: number }
): Effect.Effect<void, Failure> =>
  withHost(input, () =>
    Effect.gen(function* () {
      const made = yield* rotateAsHost(yield* keyId(input.id), input.grace)
      yield* show(input.json, made)
    })
  )

const show = (json: boolean, { key, secret }: { readonly key: ApiKey; readonly secret: string }) =>
  answer(json, shownKey(key, secret), () =>
    [
      paint.bold(secret),
      paint.dim(`${key.id}, a ${key.kind} key named "${cleanLine(key.name)}"`),
      "It is shown this once: keep it where you keep secrets."
    ].join("\n")
  )

/** A new key as programs get it. */
export const shownKey = (key: ApiKey, secret: string) => ({
  id: key.id,
  key: secret,
  kind: key.kind,
  scopes: key.scopes,
  workspaces: key.grant,
  expiresAt: key.expiresAt
})

const nameOf = (given: string): Effect.Effect<string, Failure> => {
  const name = given.trim()
  return name === "" || name.length > 200
    ? wrongUsage("--name takes 1 to 200 characters.")
    : Effect.succeed(name)
}

const scopesOf = (given: string | undefined): Effect.Effect<ReadonlyArray<Scope>, Failure> => {
  const words = (given ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")
  const known = scopes.filter((scope) => words.includes(scope))
  const strange = words.filter((word) => !known.some((scope) => scope === word))
  if (given !== undefined && words.length === 0)
    return wrongUsage(`--scopes takes one or more of ${scopes.join(", ")}, with commas between them.`)
  return strange.length > 0
    ? wrongUsage(`There is no scope ${strange.join(", ")}. There are: ${scopes.join(", ")}.`)
    : Effect.succeed(known)
}

const grantOf = (given: string | undefined, usual: WorkspaceId): Effect.Effect<Grant, Failure> => {
  if (given === undefined) return Effect.succeed([usual])
  if (given.trim() === "all") return Effect.succeed("all" as const)
  return Effect.forEach([...new Set(given.split(",").map((word) => word.trim()))], (word) => {
    const id = WorkspaceId.safeParse(word)
    return id.success
      ? Effect.succeed(id.data)
      : wrongUsage(`--workspaces takes ids (ws_…) or all, not ${word}.`)
  })
}

const momentOf = (given: string | undefined): Effect.Effect<string | null, Failure> => {
  if (given === undefined) return Effect.succeed(null)
  const at = Moment.safeParse(given)
  return at.success
    ? Effect.succeed(at.data)
    : wrongUsage("--expires takes a timestamp such as 2027-01-31T00:00:00Z.")
}

const keyId = (given: string): Effect.Effect<KeyId, NotFound> => {
  const id = KeyId.safeParse(given)
  return id.success ? Effect.succeed(id.data) : Effect.fail(new NotFound({ what: "key" }))
}

/** Fails when the host has no such workspace. */
const known = (id: WorkspaceId) =>
  Effect.flatMap(
    findWorkspace(id),
    Option.match({ onNone: () => new NotFound({ what: "workspace" }), onSome: () => Effect.void })
  )
