import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type {
  InvitationId,
  KeyId,
  Page,
  PageRequest,
  Scope,
  SessionId,
  UserId,
  WorkspaceId,
  WorkspaceScope
} from "../kernel/index.js"
import type { ApiKey, Invitation, Login, Member, MemberRole, Passkey, Session, User } from "./model.js"

/** The readable fields of a key; all fields of an intact one. */
export interface KeyRemains {
  readonly key: ApiKey
  readonly isWhole: boolean
}

/**
 * An adapter of a database implements it, or one of a directory of users, to keep users, memberships, keys and
 * sessions. Keys and users belong to the host rather than to one workspace, so only this store has methods without a
 * scope; only admission and host administration call them.
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
    /** Returns the members that have an e-mail address, by that address in lower case. */
    readonly memberEmails: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyMap<string, UserId>>
    /** Sessions of the console. */
    readonly sessions: SessionStore
    /** Codes and tokens of clients that a person signed in. */
    readonly clientTokens: ClientTokenStore
    /** Invitations to a workspace. */
    readonly invitations: InvitationStore
    /** Passkeys and their challenges. */
    readonly passkeys: PasskeyStore
  }
>() {}

/**
 * Stores sessions of the console, and the users that a provider of identities vouches for. Sessions belong to the host
 * like the keys that begin them, so its methods have no scope; only admission and sign-in call them.
 */
export interface SessionStore {
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

/** When a session counts as live: it ends after `at`, and was used after `usedAfter`. */
export interface LiveAt {
  readonly at: string
  readonly usedAfter: string
}

/** What a secret of an assistant is bound to; all but the client only of a code. */
export interface BoundToken {
  readonly clientId: string
  readonly clientName?: string
  readonly redirectUri?: string
  readonly challenge?: string
  readonly scopes?: ReadonlyArray<Scope>
  readonly actor?: string
  readonly userId?: UserId | null
  readonly keyId?: KeyId | null
}

/** A secret that an assistant holds: a code, an access token or a refresh token. */
export interface ClientToken {
  readonly kind: "code" | "access" | "refresh"
  /** The session that it acts by; null of a code that was not exchanged. */
  readonly sessionId: SessionId | null
  readonly bound: BoundToken
  readonly expiresAt: string
  /** When it was exchanged. It is good once, and stays so that a second use is noticed. */
  readonly usedAt: string | null
}

/** Stores the secrets of assistants by their hashes. They name their workspace, which each method takes first. */
export interface ClientTokenStore {
  /** Adds a secret in the caller's unit of work. */
  readonly insert: (workspace: WorkspaceScope, token: ClientToken, hash: string) => Effect.Effect<void>
  /** Returns the secret in any state. */
  readonly find: (workspace: WorkspaceScope, hash: string) => Effect.Effect<Option<ClientToken>>
  /** Notes that a secret was exchanged: of concurrent calls one returns true. */
  readonly use: (workspace: WorkspaceScope, hash: string, at: string) => Effect.Effect<boolean>
  /** Says which session a code began, in the caller's unit of work. */
  readonly bind: (workspace: WorkspaceScope, hash: string, session: SessionId) => Effect.Effect<void>
  /** Removes the secrets of a session. */
  readonly removeOf: (workspace: WorkspaceScope, session: SessionId) => Effect.Effect<void>
  /** Removes secrets of the workspace that expired before a moment. */
  readonly prune: (workspace: WorkspaceScope, before: string) => Effect.Effect<void>
}

/** Stores invitations to workspaces by the hashes of their tokens. */
export interface InvitationStore {
  /** Adds an invitation in the caller's unit of work. */
  readonly insert: (workspace: WorkspaceScope, invitation: Invitation, hash: string) => Effect.Effect<void>
  /** Returns the invitation in any state. */
  readonly find: (workspace: WorkspaceScope, hash: string) => Effect.Effect<Option<Invitation>>
  /** Lists the newest 200 that can still be used. */
  readonly open: (workspace: WorkspaceScope, at: string) => Effect.Effect<ReadonlyArray<Invitation>>
  /** Uses an invitation: of concurrent calls one returns true, and none once it has ended. */
  readonly use: (
    workspace: WorkspaceScope,
    hash: string,
    by: { readonly at: string; readonly user: UserId }
  ) => Effect.Effect<boolean>
  /** Returns false if it could not be used any more. */
  readonly revoke: (workspace: WorkspaceScope, id: InvitationId, at: string) => Effect.Effect<boolean>
}

/** How a user can sign in, and when they were last seen in the console. */
export interface UserAccess {
  readonly passkeys: number
  readonly logins: number
  readonly lastSeenAt: string | null
}

/** Stores passkeys and their challenges. They belong to users of the host, so its methods have no scope. */
export interface PasskeyStore {
  /** Adds a challenge, and removes those that have expired. */
  readonly addChallenge: (hash: string, expiresAt: string, at: string) => Effect.Effect<void>
  /** Removes a challenge: of concurrent calls one returns true, and none once it has expired. */
  readonly takeChallenge: (hash: string, at: string) => Effect.Effect<boolean>
  /** Whether any user has a passkey. */
  readonly exist: Effect.Effect<boolean>
  /** Adds a passkey in the caller's unit of work; false where it is known already. */
  readonly insert: (passkey: Passkey) => Effect.Effect<boolean>
  readonly find: (id: string) => Effect.Effect<Option<Passkey>>
  /** Lists the passkeys of a user, oldest first. */
  readonly ofUser: (user: UserId) => Effect.Effect<ReadonlyArray<Passkey>>
  /** Records a use with the counter of the authenticator. */
  readonly touch: (id: string, counter: number, at: string) => Effect.Effect<void>
  /** Returns false if the user has no such passkey. */
  readonly remove: (user: UserId, id: string) => Effect.Effect<boolean>
  /** Removes all passkeys of a user. */
  readonly removeOf: (user: UserId) => Effect.Effect<void>
  /** Ends every session of a user. */
  readonly endSessions: (user: UserId) => Effect.Effect<void>
  /** Returns how users can sign in. */
  readonly access: (users: ReadonlyArray<UserId>) => Effect.Effect<ReadonlyMap<UserId, UserAccess>>
}
