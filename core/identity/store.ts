import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { KeyId, Page, PageRequest, UserId, WorkspaceId, WorkspaceScope } from "../kernel/index.js"
import type { ApiKey, KeyKind, Member, MemberRole, User } from "./model.js"

/** What can be read of a key; of a whole one that is everything. */
export interface KeyRemains {
  readonly key: ApiKey
  readonly isWhole: boolean
}

/**
 * Users, memberships and keys. Keys and users belong to the host rather than to one workspace, so this is the one
 * store with methods that take no scope: nothing but admission and the host's own administration calls them.
 */
export class IdentityStore extends Context.Tag("kanon/IdentityStore")<
  IdentityStore,
  {
    /** The key with this hash, whatever its state. */
    readonly keyByHash: (hash: string) => Effect.Effect<Option<ApiKey>>
    readonly key: (id: KeyId) => Effect.Effect<Option<ApiKey>>
    /** What can be read of a key, however damaged: what is lost counts as empty, or as not having been. */
    readonly keyRemains: (id: KeyId) => Effect.Effect<Option<KeyRemains>>
    /** Adds a key in the caller's unit of work. */
    readonly insertKey: (key: ApiKey, hash: string) => Effect.Effect<void>
    /**
     * Ends a key, or sets when it ends, in the caller's unit of work. False when it was revoked or replaced
     * before: the first of several wins.
     */
    readonly endKey: (
      id: KeyId,
      end: {
        readonly revokedAt: string | null
        readonly expiresAt: string | null
        readonly replacedBy: KeyId | null
      }
    ) => Effect.Effect<boolean>
    /** Notes a use. */
    readonly touchKey: (id: KeyId, at: string) => Effect.Effect<void>
    /** The workspace keys of a workspace, newest first. */
    readonly keysOf: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<ApiKey>>
    /** Replaces the columns of a key, in the caller's transaction; its secret and its grants stay. */
    readonly replaceKey: (key: ApiKey) => Effect.Effect<void>
    /** Every key of the host, newest first. */
    readonly allKeys: Effect.Effect<ReadonlyArray<ApiKey>>
    /** Adds a user in the caller's unit of work. */
    readonly insertUser: (user: User) => Effect.Effect<void>
    readonly user: (id: UserId) => Effect.Effect<Option<User>>
    /** Every user of the host, in the order in which they were made. */
    readonly users: Effect.Effect<ReadonlyArray<User>>
    /** Makes a user a member, or gives a member another role. */
    readonly putMember: (
      workspace: WorkspaceId,
      user: UserId,
      role: MemberRole,
      at: string
    ) => Effect.Effect<void>
    /** False when the user was none. */
    readonly removeMember: (workspace: WorkspaceId, user: UserId) => Effect.Effect<boolean>
    /** Whether the user is a member at this moment. */
    readonly isMember: (workspace: WorkspaceId, user: UserId) => Effect.Effect<boolean>
    /** Null where the user is none, or nothing can be read of it. */
    readonly member: (workspace: WorkspaceScope, user: UserId) => Effect.Effect<Member | null>
    /** In the order of their names. */
    readonly members: (
      workspace: WorkspaceScope,
      page: PageRequest,
      role?: MemberRole
    ) => Effect.Effect<Page<Member>>
  }
>() {}

/** A new secret: what the holder gets, what is stored, what is shown. */
export interface NewSecret {
  readonly secret: string
  /** SHA-256 in lower-case hexadecimal. */
  readonly hash: string
  readonly prefix: string
}

/** Makes and reads the secrets of keys. The host supplies it: core has neither chance nor digests. */
export class KeySecrets extends Context.Tag("kanon/KeySecrets")<
  KeySecrets,
  {
    /** 32 random bytes in base62 behind the prefix of the kind, and a checksum over all of it. */
    readonly make: (kind: KeyKind) => Effect.Effect<NewSecret>
    /** The hash of a well-formed secret; none where the form or the checksum is wrong, without any lookup. */
    readonly hashOf: (secret: string) => Option<string>
  }
>() {}
