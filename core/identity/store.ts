import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { KeyId, Page, PageRequest, UserId, WorkspaceId, WorkspaceScope } from "../kernel/index.js"
import type { ApiKey, KeyKind, Member, MemberRole, User } from "./model.js"

/** The readable fields of a key; all fields of an intact one. */
export interface KeyRemains {
  readonly key: ApiKey
  readonly isWhole: boolean
}

/**
 * Stores users, memberships and keys. Keys and users belong to the host rather than to one workspace, so only this
 * store has methods without a scope; only admission and host administration call them.
 */
export class IdentityStore extends Context.Tag("kanon/IdentityStore")<
  IdentityStore,
  {
    /** Returns the key with this hash in any state. */
    readonly keyByHash: (hash: string) => Effect.Effect<Option<ApiKey>>
    readonly key: (id: KeyId) => Effect.Effect<Option<ApiKey>>
    /** Returns the readable fields of a key, however damaged; unreadable fields are empty or absent. */
    readonly keyRemains: (id: KeyId) => Effect.Effect<Option<KeyRemains>>
    /** Adds a key in the caller's unit of work. */
    readonly insertKey: (key: ApiKey, hash: string) => Effect.Effect<void>
    /**
     * Ends a key, or sets its end, in the caller's unit of work. Returns false if it was revoked or replaced before.
     */
    readonly endKey: (
      id: KeyId,
      end: {
        readonly revokedAt: string | null
        readonly expiresAt: string | null
        readonly replacedBy: KeyId | null
      }
    ) => Effect.Effect<boolean>
    /** Records a use. */
    readonly touchKey: (id: KeyId, at: string) => Effect.Effect<void>
    /** Lists the workspace keys of a workspace, newest first. */
    readonly keysOf: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<ApiKey>>
    /** Replaces the columns of a key in the caller's transaction, except its secret and its grants. */
    readonly replaceKey: (key: ApiKey) => Effect.Effect<void>
    /** Lists every key of the host, newest first. */
    readonly allKeys: Effect.Effect<ReadonlyArray<ApiKey>>
    /** Adds a user in the caller's unit of work. */
    readonly insertUser: (user: User) => Effect.Effect<void>
    readonly user: (id: UserId) => Effect.Effect<Option<User>>
    /** Lists every user of the host in order of creation. */
    readonly users: Effect.Effect<ReadonlyArray<User>>
    /** Adds a member or changes a role. */
    readonly putMember: (
      workspace: WorkspaceId,
      user: UserId,
      role: MemberRole,
      at: string
    ) => Effect.Effect<void>
    /** Returns false if the user was no member. */
    readonly removeMember: (workspace: WorkspaceId, user: UserId) => Effect.Effect<boolean>
    /** Returns whether the user is a member now. */
    readonly isMember: (workspace: WorkspaceId, user: UserId) => Effect.Effect<boolean>
    /** Lists members in order of name. */
    readonly members: (
      workspace: WorkspaceScope,
      page: PageRequest,
      role?: MemberRole
    ) => Effect.Effect<Page<Member>>
  }
>() {}

/** A new secret: the plain text for its holder, the stored hash, and the displayed prefix. */
export interface NewSecret {
  readonly secret: string
  /** SHA-256 in lower-case hexadecimal. */
  readonly hash: string
  readonly prefix: string
}

/** Creates and parses the secrets of keys. The host provides it, because core has neither randomness nor digests. */
export class KeySecrets extends Context.Tag("kanon/KeySecrets")<
  KeySecrets,
  {
    /** Returns 32 random bytes in base62 after the prefix of the kind, with a checksum over the whole. */
    readonly make: (kind: KeyKind) => Effect.Effect<NewSecret>
    /** Returns the hash of a well-formed secret; none if form or checksum is wrong. Requires no lookup. */
    readonly hashOf: (secret: string) => Option<string>
  }
>() {}
