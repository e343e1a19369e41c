import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { z } from "zod"
import { GroupName } from "../../core/platform/access/index.js"
import {
  type ApiKey,
  findWorkspace,
  type Grant,
  IdentityStore,
  type KeyAccess,
  keyItem,
  keyState,
  mintAsHost,
  revokeAsHost,
  rotateAsHost
} from "../../core/platform/identity/index.js"
import {
  KeyId,
  Moment,
  NotFound,
  now,
  type Scope,
  scopes,
  UserId,
  WorkspaceId
} from "../../core/platform/kernel/index.js"
import { command, group, noInput } from "./command.js"
import { type Failure, wrongUsage } from "./failure.js"
import { nameFlag, textFlag } from "./flags.js"
import { withHost } from "./host.js"
import { tableOf } from "./tables.js"
import { answer, paint } from "./terminal.js"
import { cleanLine } from "./text.js"

const create = command("create", {
  description: "Create a key; its secret is shown only once.",
  input: z.object({
    kind: z
      .enum(["workspace", "user"])
      .optional()
      .describe("What the key belongs to; a workspace by default."),
    name: nameFlag.optional().describe("Its name; by default its kind."),
    scopes: textFlag(
      "The scopes of the key. Without any it has the rights of keys that are older than scopes.",
      "A,B"
    ),
    workspaces: textFlag("The workspaces it reaches, or all; --workspace by default.", "ID,ID"),
    expires: textFlag("When it expires, such as 2027-01-31T00:00:00Z; never by default.", "TIMESTAMP"),
    user: textFlag("The owner of a user key (usr_…).", "ID"),
    access: z.array(z.string()).optional()
  }),
  flags: {
    access: {
      placeholder: "group:NAME",
      description:
        "A group as which a workspace key reads documents with readers; repeatable. all reads every document."
    },
    kind: { description: "What the key belongs to; a workspace by default." }
  },
  run: (input) =>
    withHost(input, function* ({ workspace }) {
      const kind = input.kind ?? "workspace"
      const wanted = yield* grantOf(input.workspaces, workspace.id)
      const wish = {
        name: input.name ?? kind,
        scopes: yield* scopesOf(input.scopes),
        expiresAt: yield* momentOf(input.expires)
      }
      if (kind === "workspace") {
        if (input.user !== undefined) return yield* wrongUsage("--user belongs to --kind user.")
        const [only, ...more] = wanted === "all" ? [] : wanted
        if (only === undefined || more.length > 0)
          return yield* wrongUsage("A workspace key reaches exactly one workspace: --workspaces ID.")
        yield* known(only)
        const access = yield* accessOf(input.access ?? [])
        const made = yield* mintAsHost({ ...wish, access, owner: { kind, workspace: only } })
        return yield* show(input.json, made)
      }
      if (input.access !== undefined)
        return yield* wrongUsage("--access belongs to workspace keys: a user key reads what its owner reads.")
      const user = UserId.safeParse(input.user)
      if (!user.success) return yield* wrongUsage("A user key needs its owner: --user ID (usr_…).")
      const made = yield* mintAsHost({ ...wish, owner: { kind, user: user.data, grant: wanted } })
      yield* show(input.json, made)
    })
})

const list = command("list", {
  description: "List keys, newest first; their secrets are not stored.",
  input: noInput,
  run: (input) =>
    withHost(input, function* () {
      const keys = yield* (yield* IdentityStore).allKeys
      const at = yield* now
      const items = keys.map((key) => ({
        ...keyItem(key),
        workspaces: key.grant,
        userId: key.userId,
        state: keyState(key, at)
      }))
      yield* answer(input.json, { items, total: items.length }, () => {
        return items.length === 0
          ? "No keys."
          : tableOf(
              items,
              [
                "name",
                "kind",
                "state",
                ["key", ({ prefix }) => `${prefix}…`],
                ["workspaces", ({ workspaces }) => (workspaces === "all" ? "all" : workspaces.length)],
                [
                  "scopes",
                  ({ scopes: held }) => (held.length === 0 ? "(older than scopes)" : held.join(" "))
                ],
                "id"
              ],
              { shrink: ["scopes"] }
            )
      })
    })
})

const revoke = command("revoke", {
  description: "Revoke a key, effective at once.",
  input: z.object({ id: z.string().describe("Id of the key (key_…).") }),
  arguments: { id: {} },
  run: (input) =>
    withHost(input, function* () {
      const ack = yield* revokeAsHost(yield* keyId(input.id))
      yield* answer(input.json, ack, () => `Revoked ${ack.id}. It is refused from the next request on.`)
    })
})

const rotate = command("rotate", {
  description: "Replace a key by a new one with the same rights.",
  input: z.object({
    id: z.string().describe("Id of the key (key_…)."),
    grace: z.int().min(0).max(604_800).default(0).describe("Seconds for which the old key stays valid")
  }),
  arguments: { id: {} },
  run: (input) =>
    withHost(input, function* () {
      const made = yield* rotateAsHost(yield* keyId(input.id), input.grace)
      yield* show(input.json, made)
    })
})

const show = (json: boolean, { key, secret }: { readonly key: ApiKey; readonly secret: string }) =>
  answer(json, shownKey(key, secret), () =>
    [
      paint.bold(secret),
      paint.dim(`${key.id}, a ${key.kind} key named "${cleanLine(key.name)}"`),
      "It is shown only once: store it where you store secrets."
    ].join("\n")
  )

/** A new key as programs get it. */
const shownKey = (key: ApiKey, secret: string) => ({
  id: key.id,
  key: secret,
  kind: key.kind,
  scopes: key.scopes,
  workspaces: key.grant,
  expiresAt: key.expiresAt
})

const scopesOf = (given: string | undefined): Effect.Effect<ReadonlyArray<Scope>, Failure> => {
  const words = (given ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")
  const known = scopes.filter((scope) => words.includes(scope))
  const unknown = words.filter((word) => !known.some((scope) => scope === word))
  if (given !== undefined && words.length === 0)
    return wrongUsage(`--scopes takes one or more of ${scopes.join(", ")}, with commas between them.`)
  return unknown.length > 0
    ? wrongUsage(`There is no scope ${unknown.join(", ")}. There are: ${scopes.join(", ")}.`)
    : Effect.succeed(known)
}

const grantOf = (given: string | undefined, byDefault: WorkspaceId): Effect.Effect<Grant, Failure> => {
  if (given === undefined) return Effect.succeed([byDefault])
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

const accessOf = (given: ReadonlyArray<string>): Effect.Effect<KeyAccess, Failure> => {
  if (given.includes("all")) return Effect.succeed("all" as const)
  const names = given.map((one) => (one.startsWith("group:") ? one.slice("group:".length) : ""))
  return names.every((name) => GroupName.safeParse(name).success)
    ? Effect.succeed([...new Set(names)])
    : wrongUsage("--access takes group:NAME or all.")
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

export const keyCommands = group("keys", "Keys of the server.", [create, list, revoke, rotate])
