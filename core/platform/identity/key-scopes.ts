import * as Either from "effect/Either"
import {
  type Scope,
  Unauthorized,
  WorkspaceForbidden,
  WorkspaceId,
  WorkspaceRequired
} from "../kernel/index.js"
import { type ApiKey, type KeyState, legacyScopes } from "./model.js"

/** Returns the state of a key at a moment. */
export const keyState = (key: Pick<ApiKey, "expiresAt" | "revokedAt">, at: string): KeyState => {
  if (key.revokedAt !== null && key.revokedAt <= at) return "revoked"
  return key.expiresAt !== null && key.expiresAt <= at ? "expired" : "active"
}

/** Returns the scopes of a key. */
export const scopesOf = ({ scopes }: Pick<ApiKey, "scopes">): ReadonlyArray<Scope> =>
  scopes.length === 0 ? legacyScopes : scopes

/** Whether the grant of a key names a workspace. */
export const reaches = ({ grant }: Pick<ApiKey, "grant">, workspace: WorkspaceId): boolean =>
  grant === "all" || grant.includes(workspace)

/**
 * Returns the workspace of a call with this key. A key for exactly one workspace needs no header and accepts no
 * other; any other key must name a workspace within its grant. `rightsIn` checks whether the owner of a user key is
 * still a member.
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
  return reaches(key, named.data) ? Either.right(named.data) : Either.left(new WorkspaceForbidden())
}
