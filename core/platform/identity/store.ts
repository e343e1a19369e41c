import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type {
  KeyId,
  Page,
  PageRequest,
  SessionId,
  UserId,
  WorkspaceId,
  WorkspaceScope
} from "../kernel/index.js"
import type { ApiKey, KeyKind, Login, Member, MemberRole, Session, User } from "./model.js"

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
    /** Returns the role of a member now; one that cannot be read counts as plain membership. */
    readonly role: (workspace: WorkspaceId, user: UserId) => Effect.Effect<Option<MemberRole>>
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
    /** Returns 256 random bits in base64url with their hash, for a session or the link to one. */
    readonly makeToken: Effect.Effect<{ readonly token: string; readonly hash: string }>
    /** Returns the hash of a well-formed token. */
    readonly hashOfToken: (token: string) => Option<string>
  }
>() {}

/**
 * Stores sessions of the console, and the users that a provider of identities vouches for. Sessions belong to the host
 * like the keys that begin them, so its methods have no scope; only admission and sign-in call them.
 */
export class SessionStore extends Context.Tag("kanon/SessionStore")<
  SessionStore,
  {
    /** Adds a session in the caller's unit of work. */
    readonly insert: (session: Session, hash: string) => Effect.Effect<void>
    /** Returns the session with this hash; none for a link, which is no session yet. */
    readonly byHash: (hash: string) => Effect.Effect<Option<Session>>
    /** Removes the link with this hash and returns it: of concurrent takers one gets it. */
    readonly takeLink: (hash: string) => Effect.Effect<Option<Session>>
    /** Records a use. */
    readonly touch: (id: SessionId, at: string) => Effect.Effect<void>
    /** Returns false if there was none. */
    readonly remove: (id: SessionId) => Effect.Effect<boolean>
    /** Returns a session in any state; none for a link. */
    readonly get: (id: SessionId) => Effect.Effect<Option<Session>>
    /** Lists every live session of the host without links, newest first. */
    readonly all: (live: LiveAt) => Effect.Effect<ReadonlyArray<Session>>
    /**
     * Lists live sessions of an actor and, where `reaching` names a workspace, those that reach it now: their member is
     * in it, and their key is good and granted it. Newest first; looks up only sessions of this actor and of those who
     * reach the workspace.
     */
    readonly list: (
      wanted: LiveAt & { readonly actor: string; readonly reaching: WorkspaceId | null },
      page: PageRequest
    ) => Effect.Effect<Page<Session>>
    /** Removes all sessions of an actor but this one and the newest others, so that `count` remain. */
    readonly keepNewest: (session: Pick<Session, "actor" | "id">, count: number) => Effect.Effect<void>
    /** Removes sessions and links that ended before a moment. */
    readonly prune: (before: string) => Effect.Effect<void>
    /** Returns the user of a subject of an issuer. */
    readonly userOfLogin: (login: Login) => Effect.Effect<Option<User>>
    /** Binds a subject to a user for good; false if another login is bound to the subject. */
    readonly bindLogin: (login: Login, user: UserId, at: string) => Effect.Effect<boolean>
    /** Returns the user with this e-mail address, compared without case, whom no login of the issuer is bound to. */
    readonly unboundUserOfEmail: (issuer: string, email: string) => Effect.Effect<Option<User>>
    /** Sets the e-mail address of a user; false if another user has it. */
    readonly setEmail: (user: UserId, email: string) => Effect.Effect<boolean>
    /** Lists the workspaces that a user is a member of. */
    readonly workspacesOf: (user: UserId) => Effect.Effect<ReadonlyArray<WorkspaceId>>
  }
>() {}

/** When a session counts as live: it ends after `at`, and was used after `usedAfter`. */
export interface LiveAt {
  readonly at: string
  readonly usedAfter: string
}
