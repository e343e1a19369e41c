import { z } from "zod"
import { KeyId, type Scope, scopes, Timestamp, type UserId, type WorkspaceId } from "../kernel/index.js"

/** `workspace` keys act on one workspace; `user` keys on those of their owner's that the grant names. */
export const keyKinds = ["workspace", "user"] as const
/** Whose a key is: a workspace's, or a user's. */
export type KeyKind = (typeof keyKinds)[number]

/** A right that a key may carry, as the wire spells it. */
export const KeyScope = z.enum(scopes)

/** What a key with no scopes may do: such keys are older than scopes. */
export const legacyScopes: ReadonlyArray<Scope> = ["agents:run", "runs:read"]

/** Which workspaces a key reaches: all of its owner's, or these. */
export type Grant = "all" | ReadonlyArray<WorkspaceId>

/** A key as it is stored; the secret itself is nowhere, its SHA-256 only in the store. */
export interface ApiKey {
  readonly id: KeyId
  readonly kind: KeyKind
  readonly name: string
  /** The beginning of the secret, by which people know it again. */
  readonly prefix: string
  /** Empty for keys from before scopes, which act with `legacyScopes`. */
  readonly scopes: ReadonlyArray<Scope>
  /** Exactly one workspace for a workspace key. */
  readonly grant: Grant
  /** The owner of a user key; null for a workspace key. */
  readonly userId: UserId | null
  readonly createdAt: string
  readonly createdBy: string
  /** To the minute. */
  readonly lastUsedAt: string | null
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  /** The key that took its place. */
  readonly replacedBy: KeyId | null
}

/** By what the trail knows the secret of a key again, which it tells nobody: the beginning of a hash of its hash. */
export const fingerprintOf = (sha256: (text: string) => string, hash: string): string =>
  sha256(`kanon-key:${hash}`).slice(0, 16)

/** What a key can be at a moment; one that was revoked and has expired besides is `revoked`. */
export const keyStates = ["active", "revoked", "expired"] as const
/** What a key is at a moment. */
export type KeyState = (typeof keyStates)[number]

/** A person whom the host knows. */
export interface User {
  readonly id: UserId
  readonly displayName: string
  readonly createdAt: string
}

/** It informs; over the API it grants nothing. */
export const memberRoles = ["admin", "member"] as const
/** What a member is to a workspace. */
export type MemberRole = (typeof memberRoles)[number]

/** A user in a workspace; `since` is when the membership began. */
export interface Member {
  readonly user: User
  readonly role: MemberRole
  readonly since: string
}

/** A key as it is shown: never the secret. */
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

/** All keys of the workspace, in one page, the newest first. */
export const KeyPage = z.object({ items: z.array(KeyItem), total: z.int() })

/** A key that was just made: the only time that its secret is told. */
export const MintedKey = z.object({
  id: KeyId,
  key: z.string().describe("The secret, shown this once."),
  scopes: z.array(KeyScope),
  expiresAt: Timestamp.nullable()
})
export type MintedKey = z.infer<typeof MintedKey>
