import * as Context from "effect/Context"
import type { KeyId, SessionId, WorkspaceId } from "./ids.js"

declare const scope: unique symbol
/**
 * The workspace that a call may touch. Every store method takes one as its first argument. Only a caller's identity
 * and a stored job payload may become one, through `scopeOf`.
 */
export type WorkspaceScope = WorkspaceId & { readonly [scope]: true }

/** Asserts that the caller (or the job) was admitted to this workspace. */
export const scopeOf = (admitted: WorkspaceId): WorkspaceScope => admitted as WorkspaceScope

/** The caller: actor, workspace and entry point. */
export interface CallerShape {
  readonly workspace: WorkspaceScope
  /** A key's id, a member's id, `local` in-process and on the command line, `system` for jobs. */
  readonly actor: string
  /** Recorded in revisions: `ui`, `api`, `mcp`, `extraction:<job id>` or `change_request:<id>`. */
  readonly activity: string
  /** The scopes of the caller. Absent in-process and on the command line, where everything is allowed. */
  readonly scopes?: ReadonlyArray<Scope>
  /** The key that signed in a member, who is the actor then. What the member starts ends with the key. */
  readonly keyId?: KeyId
  /** The session of the console. */
  readonly sessionId?: SessionId
  /** Id of the HTTP request, as it appears in the server logs; absent in-process. */
  readonly requestId?: string
}

/** Caller of the current operation, provided once per operation. */
export class Caller extends Context.Tag("kanon/Caller")<Caller, CallerShape>() {}

/** The scopes that a key may have: the contract's eight, and `workspace:admin`, which implies none of them. */
export const scopes = [
  "agents:run",
  "runs:read",
  "kb:read",
  "kb:write",
  "data:read",
  "data:run",
  "reports:read",
  "reports:write",
  "workspace:admin"
] as const
/** A scope that a key may have; no scope includes another. */
export type Scope = (typeof scopes)[number]
