import * as Context from "effect/Context"
import type { WorkspaceId } from "./ids.js"
import type { Scope } from "./scope.js"

declare const scope: unique symbol
/**
 * The workspace that a call may touch. Every method of a store takes one first. Only the identity of a
 * caller and the stored payload of a job may become one, through `scopeOf`.
 */
export type WorkspaceScope = WorkspaceId & { readonly [scope]: true }

/** Vouches that the caller (or the job) was admitted to this workspace. */
export const scopeOf = (admitted: WorkspaceId): WorkspaceScope => admitted as WorkspaceScope

/** Who acts, where, and through which door. */
export interface CallerShape {
  readonly workspace: WorkspaceScope
  /** A key's id, a member's id, `local` in-process and on the command line, `system` for jobs. */
  readonly actor: string
  /** `ui`, `api`, `mcp`, `extraction:<job id>` or `change_request:<id>`: what a revision records. */
  readonly activity: string
  /** What the caller may do; every thing in-process and on the command line, where it is left out. */
  readonly scopes?: ReadonlyArray<Scope>
  /** The request that brought the call, as the logs of the server name it; none in-process. */
  readonly requestId?: string
}

/** Travels in the context, once per operation. */
export class Caller extends Context.Tag("kanon/Caller")<Caller, CallerShape>() {}
