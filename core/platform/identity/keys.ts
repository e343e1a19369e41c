import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { groupPrincipal } from "../access/index.js"
import { type Deed, record } from "../audit/index.js"
import {
  atomically,
  Caller,
  Conflict,
  Ids,
  InsufficientScope,
  invalid,
  KeyId,
  millisOf,
  type NewSecret,
  NotFound,
  now,
  type Scope,
  scopeOf,
  timestampOf,
  traced,
  UserId,
  type WorkspaceId
} from "../kernel/index.js"
import { keyState } from "./key-scopes.js"
import { earlier, refuseLosingAdmin } from "./last-admin-key.js"
import {
  type ApiKey,
  fingerprintOf,
  type Grant,
  type KeyAccess,
  type KeyState,
  type MintedKey
} from "./model.js"
import { IdentityStore, type KeyRemains } from "./store.js"

/** Properties of a new key. */
export interface KeyWish {
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  readonly expiresAt: string | null
  /** The user whose membership a workspace key depends on; default: none. */
  readonly memberId?: UserId | null
  /** What a workspace key may read beside what is open to everybody; default: nothing. */
  readonly access?: KeyAccess
  readonly owner:
    | { readonly kind: "workspace"; readonly workspace: WorkspaceId }
    | { readonly kind: "user"; readonly user: UserId; readonly grant: Grant }
}

/** Creates a key for the host's command line, which may grant any rights. */
export const mintAsHost = traced("identity.mint")(function* (wish: KeyWish) {
  const store = yield* IdentityStore
  if (wish.owner.kind === "user") {
    if (Option.isNone(yield* store.user(wish.owner.user))) return yield* new NotFound({ what: "user" })
    if (wish.owner.grant !== "all") {
      if (wish.owner.grant.length === 0)
        return yield* invalid(["workspaces"], "too_small", "A user key names at least one workspace, or all.")
      for (const workspace of wish.owner.grant)
        if (Option.isNone(yield* store.role(workspace, wish.owner.user)))
          return yield* new Conflict({ message: `The user is no member of ${workspace}.` })
    }
  }
  const made = yield* newKey(wish)
  yield* atomically(
    Effect.gen(function* () {
      yield* store.insertKey(made.key, made.secret.hash)
      yield* recordOf(made.key, yield* minted(made))
    })
  )
  return { key: made.key, secret: made.secret.secret }
})

/** Rotates a key for the host: creates one with the same rights; the old one ends after the grace period. */
export const rotateAsHost = traced("identity.rotate")(function* (id: KeyId, graceSeconds: number) {
  const old = yield* Effect.flatMap(IdentityStore, (store) => store.key(id))
  if (Option.isNone(old)) return yield* new NotFound({ what: "key" })
  const { access, expiresAt, grant, kind, name, scopes, userId } = old.value
  const [only] = grant === "all" ? [] : grant
  const owner =
    kind === "workspace" || userId === null
      ? only === undefined
        ? yield* Effect.dieMessage("A workspace key without a workspace.")
        : ({ kind: "workspace", workspace: only } as const)
      : ({ kind: "user", user: userId, grant } as const)
  const wish = { name, scopes, expiresAt, owner, memberId: userId, access }
  return yield* replace(old.value, wish, graceSeconds, () => Effect.void)
})

/**
 * Creates a key of the caller's workspace within the caller's own rights; with `replaces` it replaces a key. A key of
 * a key that expires ends no later, and one of a user's key needs that user's membership.
 */
export const mintKey = traced("identity.mintKey")(function* (wish: {
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  readonly expiresAt: string | null
  readonly replaces: KeyId | null
  readonly graceSeconds: number
  readonly access?: KeyAccess | undefined
}) {
  const { scopes: held, workspace } = yield* Caller
  const beyond = wish.scopes.filter((scope) => held !== undefined && !held.includes(scope))
  if (beyond.length > 0) return yield* new InsufficientScope({ wanted: beyond })
  yield* refuseWiderAccess(wish.access ?? [])
  const full: KeyWish = {
    ...(yield* withinMaker(wish)),
    owner: { kind: "workspace", workspace },
    access: wish.access ?? []
  }
  if (wish.replaces !== null) {
    const old = yield* workspaceKey(wish.replaces)
    const made = yield* replace(old, full, wish.graceSeconds, refuseLosingAdmin)
    return mintedKeyOf(made.key, made.secret)
  }
  const { key, secret } = yield* mintAsHost(full)
  return mintedKeyOf(key, secret)
})

/** Refuses a key that would read more than its maker does; the host reads everything. */
const refuseWiderAccess = (access: KeyAccess) =>
  Effect.flatMap(Caller, ({ principals }) => {
    if (principals === undefined) return Effect.void
    const isWider = access === "all" || access.some((group) => !principals.includes(groupPrincipal(group)))
    return isWider
      ? Effect.fail(invalid(["access"], "not_allowed", "A key reads no more than the one that makes it."))
      : Effect.void
  })

/** Bounds a new key by the key that makes it; the host's own callers have no bounds. */
const withinMaker = (wish: Pick<KeyWish, "name" | "scopes" | "expiresAt">) =>
  Effect.gen(function* () {
    const { actor, keyId, scopes } = yield* Caller
    const id = KeyId.safeParse(keyId ?? actor)
    const found = id.success ? yield* (yield* IdentityStore).key(id.data) : Option.none<ApiKey>()
    if (Option.isNone(found)) {
      // A member who came without a key: what they make needs their membership.
      const member = scopes === undefined ? undefined : UserId.safeParse(actor).data
      return member === undefined ? wish : { ...wish, memberId: member }
    }
    const { expiresAt, userId } = found.value
    return { ...wish, expiresAt: earlier(wish.expiresAt, expiresAt), memberId: userId }
  })

/** Revokes a key at once. The last key that can administer the workspace cannot be revoked. */
export const revokeKey = traced("identity.revokeKey")(function* (id: KeyId) {
  const { workspace } = yield* Caller
  yield* atomically(
    Effect.gen(function* () {
      const remains = yield* remainsOf(id)
      const { grant, kind } = remains.key
      if (kind !== "workspace" || grant === "all" || !grant.includes(workspace))
        return yield* new NotFound({ what: "key" })
      const at = yield* now
      yield* revoke(remains)
      yield* refuseLosingAdmin(remains.key, at)
    })
  )
  return { deleted: true, id }
})

/** Revokes any key for the host, including the last one: the host can create another. */
export const revokeAsHost = traced("identity.revoke")(function* (id: KeyId) {
  yield* atomically(Effect.flatMap(remainsOf(id), revoke))
  return { deleted: true, id }
})

const remainsOf = (id: KeyId) =>
  Effect.gen(function* () {
    const found = yield* (yield* IdentityStore).keyRemains(id)
    return Option.getOrNull(found) ?? (yield* new NotFound({ what: "key" }))
  })

/**
 * Revokes a key. The readable fields of a damaged key are written again, so that it grants nothing and no longer
 * breaks lists.
 */
const revoke = ({ isWhole, key }: KeyRemains) =>
  Effect.gen(function* () {
    const { expiresAt, replacedBy, revokedAt } = key
    if (isWhole && revokedAt !== null) return
    const at = revokedAt ?? (yield* now)
    if (isWhole) return yield* end(key, { revokedAt: at, expiresAt, replacedBy })
    yield* (yield* IdentityStore).replaceKey({ ...key, revokedAt: at })
    yield* recordOf(key, { action: "key.revoke", subjectId: key.id, details: { revokedAt: at } })
  })

/** Lists the workspace keys of the caller's workspace, newest first, optionally of one state. */
export const listKeys = traced("identity.listKeys")(function* (state?: KeyState) {
  const { workspace } = yield* Caller
  const keys = yield* (yield* IdentityStore).keysOf(workspace)
  const at = yield* now
  return keys.filter((key) => state === undefined || keyState(key, at) === state)
})

const newKey = (wish: KeyWish) =>
  Effect.gen(function* () {
    const { actor } = yield* Caller
    const secret = yield* (yield* Ids).secrets.make(wish.owner.kind)
    const at = yield* now
    if (wish.expiresAt !== null && wish.expiresAt <= at)
      return yield* invalid(["expiresAt"], "custom", "The key would have expired already.")
    const key: ApiKey = {
      id: (yield* Ids).make("key"),
      kind: wish.owner.kind,
      name: wish.name,
      prefix: secret.prefix,
      scopes: wish.scopes,
      grant: wish.owner.kind === "workspace" ? [wish.owner.workspace] : wish.owner.grant,
      userId: wish.owner.kind === "workspace" ? (wish.memberId ?? null) : wish.owner.user,
      access: wish.owner.kind === "workspace" ? (wish.access ?? []) : [],
      createdAt: at,
      createdBy: actor,
      lastUsedAt: null,
      expiresAt: wish.expiresAt,
      revokedAt: null,
      replacedBy: null
    }
    return { key, secret } satisfies { key: ApiKey; secret: NewSecret }
  })

/**
 * Creates the new key and ends the old one atomically; of concurrent rotations one succeeds. `check` is run after
 * both.
 */
const replace = <E, R>(
  old: ApiKey,
  wish: KeyWish,
  graceSeconds: number,
  check: (ending: ApiKey, at: string) => Effect.Effect<void, E, R>
) =>
  Effect.gen(function* () {
    const made = yield* newKey(wish)
    const at = yield* now
    if (keyState(old, at) !== "active") return yield* new Conflict({ message: "The key has already ended." })
    const until = timestampOf(millisOf(at) + graceSeconds * 1000)
    const expiresAt = old.expiresAt !== null && old.expiresAt < until ? old.expiresAt : until
    yield* atomically(
      Effect.gen(function* () {
        yield* (yield* IdentityStore).insertKey(made.key, made.secret.hash)
        yield* end(old, { revokedAt: null, expiresAt, replacedBy: made.key.id })
        yield* check(old, at)
        yield* recordOf(made.key, yield* minted(made, old.id))
      })
    )
    return { key: made.key, secret: made.secret.secret }
  })

const end = (
  key: ApiKey,
  how: { revokedAt: string | null; expiresAt: string | null; replacedBy: KeyId | null }
) =>
  Effect.gen(function* () {
    const won = yield* (yield* IdentityStore).endKey(key.id, how)
    if (!won) return yield* new Conflict({ message: "The key was revoked or replaced already." })
    yield* recordOf(
      key,
      how.revokedAt === null
        ? {
            action: "key.rotate",
            subjectId: key.id,
            details: { replacedBy: how.replacedBy, expiresAt: how.expiresAt }
          }
        : { action: "key.revoke", subjectId: key.id, details: { revokedAt: how.revokedAt } }
    )
  })

/** Returns a workspace key of the caller's workspace. */
const workspaceKey = (id: KeyId) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const key = (yield* (yield* IdentityStore).keysOf(workspace)).find((one) => one.id === id)
    return key ?? (yield* new NotFound({ what: "key" }))
  })

/** Records an event in the trail of the key's own workspace, regardless of the host's current one. */
const recordOf = ({ grant, kind }: ApiKey, deed: Deed) =>
  Effect.gen(function* () {
    const caller = yield* Caller
    const [own] = kind === "workspace" && grant !== "all" ? grant : []
    const workspace = own === undefined ? caller.workspace : scopeOf(own)
    yield* Effect.provideService(record([deed]), Caller, { ...caller, workspace })
  })

const minted = ({ key, secret }: { readonly key: ApiKey; readonly secret: NewSecret }, replaces?: KeyId) =>
  Effect.map(Ids, ({ sha256 }): Deed => {
    const { access, expiresAt, grant, id, kind, name, scopes, userId } = key
    return {
      action: "key.mint",
      subjectId: id,
      details: {
        name,
        kind,
        scopes,
        grant,
        expiresAt,
        ...(access.length === 0 ? {} : { access }),
        fingerprint: fingerprintOf(sha256, secret.hash),
        ...(userId === null ? {} : { userId }),
        ...(replaces === undefined ? {} : { replaces })
      }
    }
  })

const mintedKeyOf = ({ expiresAt, id, scopes }: ApiKey, key: string): MintedKey => ({
  id,
  key,
  scopes: [...scopes],
  expiresAt
})
