import * as Either from "effect/Either"
import {
  type Scope,
  Unauthorized,
  WorkspaceForbidden,
  WorkspaceId,
  WorkspaceRequired
} from "../kernel/index.js"
import { type ApiKey, type KeyState, legacyScopes } from "./model.js"

/** Where a key stands at a moment. */
export const keyState = (key: Pick<ApiKey, "expiresAt" | "revokedAt">, at: string): KeyState => {
  if (key.revokedAt !== null && key.revokedAt <= at) return "revoked"
  return key.expiresAt !== null && key.expiresAt <= at ? "expired" : "active"
}

/** What a key may do. */
export const scopesOf = ({ scopes }: Pick<ApiKey, "scopes">): ReadonlyArray<Scope> =>
  scopes.length === 0 ? legacyScopes : scopes

/**
 * The workspace that a call with this key is for, by the contract's rules: a key that reaches exactly one needs no
 * header and bears no other; any other key must name one within its grant. Whether the owner of a user key is a
 * member still is for the store to say.
 */
export const workspaceFor = (
  key: ApiKey,
  header: string | undefined,
  at: string
): Either.Either<WorkspaceId, Unauthorized | WorkspaceForbidden | WorkspaceRequired> => {
  if (keyState(key, at) !== "active") return Either.left(new Unauthorized())
  const only = key.grant !== "all" && key.grant.length === 1 ? key.grant[0] : undefined
  if (header === undefined)
    return only === undefined ? Either.left(new WorkspaceRequired()) : Either.right(only)
  const named = WorkspaceId.safeParse(header)
  if (!named.success) return Either.left(new WorkspaceForbidden())
  return key.grant === "all" || key.grant.includes(named.data)
    ? Either.right(named.data)
    : Either.left(new WorkspaceForbidden())
}
