import { z } from "zod"
import {
  type InvitationId,
  KeyId,
  type Scope,
  type SessionId,
  scopes,
  Timestamp,
  type UserId,
  type WorkspaceId
} from "../kernel/index.js"

/** `workspace` keys act on one workspace; `user` keys on the workspaces of their owner that the grant names. */
export const keyKinds = ["workspace", "user"] as const
/** Owner kind of a key: a workspace or a user. */
export type KeyKind = (typeof keyKinds)[number]

/** A scope of a key, in wire form. */
export const KeyScope = z.enum(scopes)

/** Scopes of keys that were created before scopes existed. */
export const legacyScopes: ReadonlyArray<Scope> = ["agents:run", "runs:read"]

/** Workspaces that a key may access: all of its owner's, or these. */
export type Grant = "all" | ReadonlyArray<WorkspaceId>

/**
 * What a workspace key may read beside what is open to everybody: all, or what these groups may read. A user key reads
 * what its owner reads.
 */
export type KeyAccess = "all" | ReadonlyArray<string>

/** A key as stored. The secret is not stored, only its SHA-256. */
export interface ApiKey {
  readonly id: KeyId
  readonly kind: KeyKind
  readonly name: string
  /** First characters of the secret, for identification by people. */
  readonly prefix: string
  /** Empty for keys created before scopes, which have `legacyScopes`. */
  readonly scopes: ReadonlyArray<Scope>
  /** Exactly one workspace for a workspace key. */
  readonly grant: Grant
  /**
   * The user whose membership the key needs: the owner of a user key, or the one by whose key a workspace key was
   * made; otherwise null.
   */
  readonly userId: UserId | null
  readonly access: KeyAccess
  readonly createdAt: string
  readonly createdBy: string
  /** Rounded to the minute. */
  readonly lastUsedAt: string | null
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  /** The key that replaced it. */
  readonly replacedBy: KeyId | null
}

/**
 * How a session began: with a key, with the link of `kanon console`, through OpenID Connect, or with a passkey; `client` is one that an
 * assistant acts by, as a person allowed.
 */
export const sessionMethods = ["key", "link", "oidc", "passkey", "client"] as const
/** How a person signed in to a session of the console. */
export type SessionMethod = (typeof sessionMethods)[number]

/** A session of the console as stored. The token is not stored, only its SHA-256. */
export interface Session {
  readonly id: SessionId
  readonly method: SessionMethod
  /** True for a link that nobody has followed yet; it becomes a session of its own. */
  readonly isLink: boolean
  /** A member's id; a key's id where the session has no member; a name of the host for a link of the command line. */
  readonly actor: string
  /** The member whose membership it needs, if any. */
  readonly userId: UserId | null
  /** The key that it needs, if any. */
  readonly keyId: KeyId | null
  /** Null where they are those of the key, or of the role of a member who signed in without one. */
  readonly scopes: ReadonlyArray<Scope> | null
  /** The workspace of calls that name none. */
  readonly workspaceId: WorkspaceId
  /** The browser, or the name of the assistant. */
  readonly userAgent: string
  readonly createdAt: string
  /** To the minute. */
  readonly lastSeenAt: string
  /** The latest moment at which it ends, however much it is used. */
  readonly expiresAt: string
}

/** A person as a provider of identities names one. */
export interface Login {
  readonly issuer: string
  readonly subject: string
}

/** Returns the identifier of a key's secret in the audit trail: the beginning of a hash of its hash. */
export const fingerprintOf = (sha256: (text: string) => string, hash: string): string =>
  sha256(`kanon-key:${hash}`).slice(0, 16)

/** States of a key; one that is both revoked and expired is `revoked`. */
export const keyStates = ["active", "revoked", "expired"] as const
/** State of a key. */
export type KeyState = (typeof keyStates)[number]

/** A user of the host. */
export interface User {
  readonly id: UserId
  readonly displayName: string
  readonly createdAt: string
}

/** A role bounds what a member, and every key that needs the membership, may do in the workspace: `RoleScopes`. */
export const memberRoles = ["admin", "curator", "member", "reader"] as const
/** Role of a member in a workspace. */
export type MemberRole = (typeof memberRoles)[number]

/** An invitation to a workspace as stored. The token of its link is not stored, only its SHA-256. */
export interface Invitation {
  readonly id: InvitationId
  readonly role: MemberRole
  /** The member whose passkeys it replaces; null for a new person. */
  readonly userId: UserId | null
  readonly createdBy: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly usedAt: string | null
  readonly usedBy: UserId | null
  readonly revokedAt: string | null
}

/** A passkey of a user. */
export interface Passkey {
  /** As the authenticator names it, in base64url. */
  readonly id: string
  readonly userId: UserId
  /** In base64url. */
  readonly publicKey: string
  readonly counter: number
  readonly transports: ReadonlyArray<string>
  /** The device, as its person named it. */
  readonly name: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

/** A user in a workspace; `since` is when the membership began. */
export interface Member {
  readonly user: User
  readonly role: MemberRole
  readonly since: string
}

/** A key in wire form, without its secret. */
export const KeyItem = z.object({
  id: KeyId,
  name: z.string(),
  kind: z.enum(keyKinds),
  prefix: z.string().describe("The beginning of the key, by which people know it again."),
  scopes: z.array(KeyScope).describe("Empty for keys from before scopes: agents:run and runs:read."),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable().describe("To the minute."),
  expiresAt: Timestamp.nullable(),
  revokedAt: Timestamp.nullable(),
  replacedBy: KeyId.nullable()
})
export type KeyItem = z.infer<typeof KeyItem>

/** All keys of the workspace in one page, newest first. */
export const KeyPage = z.object({ items: z.array(KeyItem), total: z.int() })

/** A new key with its secret, which is shown only once. */
export const MintedKey = z.object({
  id: KeyId,
  key: z.string().describe("The secret, shown this once."),
  scopes: z.array(KeyScope),
  expiresAt: Timestamp.nullable()
})
export type MintedKey = z.infer<typeof MintedKey>
