import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { KeyId, Page, PageRequest, UserId, WorkspaceId, WorkspaceScope } from "../kernel/index.js"
import type { ApiKey, KeyKind, Member, MemberRole, User } from "./model.js"

/** A key with the hash of its secret, which nobody is ever shown. */
export interface HeldKey {
  readonly key: ApiKey
  readonly hash: string
}

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
    /** Every key, of whatever kind, that reaches a workspace, as far as it can be read: for those who look for damage. */
    readonly held: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<HeldKey>>
    /** Writes a key as it must have been, in the caller's unit of work; its secret and which workspaces it names stay. */
    readonly putBackKey: (key: ApiKey) => Effect.Effect<void>
    /** Has a key reach a workspace again, in the caller's unit of work. */
    readonly putBackGrant: (workspace: WorkspaceScope, id: KeyId) => Effect.Effect<void>
    /** Takes back all that is granted to a key that is not there, in the caller's unit of work. */
    readonly dropGrants: (id: KeyId) => Effect.Effect<void>
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
    /** The moments of every member and of the user that it is, however damaged the rest of them: for those who look for damage. */
    readonly moments: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<MemberMoments>>
    /** Writes them as they must have been, in the caller's unit of work. */
    readonly putBackMoments: (workspace: WorkspaceScope, moments: MemberMoments) => Effect.Effect<void>
    /** In the order of their names. */
    readonly members: (
      workspace: WorkspaceScope,
      page: PageRequest,
      role?: MemberRole
    ) => Effect.Effect<Page<Member>>
  }
>() {}

/** Since when there is a user and a member, as it is kept: what is damaged may be no moment. */
export interface MemberMoments {
  readonly user: UserId
  /** Of the user. */
  readonly createdAt: string
  /** Of the membership. */
  readonly since: string
}

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
