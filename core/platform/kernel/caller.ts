import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type KeyId, prefixes, type SessionId, type WorkspaceId } from "./ids.js"

/** What a caller with principals may read: the lists of readers that name one of them, and a key of this view. */
export interface ReaderView {
  readonly key: string
  /** Changes with every change of the readers of a document. */
  readonly revision: number
  /** Ids of the lists; documents with any other list do not exist for the caller. */
  readonly lists: ReadonlyArray<string>
}

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
  /**
   * The names by which lists of readers may name the caller: `user:usr_…`, `group:NAME`. Absent for the host, its jobs
   * and its keys for everything, which read every document.
   */
  readonly principals?: ReadonlyArray<string>
  /**
   * What these principals may read now, once it was looked up; null when every document is readable. Statements of a
   * caller with principals and without a view are refused.
   */
  readonly view?: ReaderView | null
  /** The session of the console. */
  readonly sessionId?: SessionId
  /** Id of the HTTP request, as it appears in the server logs; absent in-process. */
  readonly requestId?: string
}

/**
 * Whether a member acts: in the console, or through a client that the member let in. Keys and the host act as the API
 * says, also where a key signed in to the console.
 */
export const isMemberSession = ({ actor, sessionId }: Pick<CallerShape, "actor" | "sessionId">): boolean =>
  sessionId !== undefined && actor.startsWith(`${prefixes.user}_`)

/** Caller of the current operation, provided once per operation. */
export class Caller extends Context.Tag("kanon/Caller")<Caller, CallerShape>() {}

/** Returns the view of the running call; null where every document is readable. */
export const currentView: Effect.Effect<ReaderView | null> = Effect.map(
  Effect.serviceOption(Caller),
  Option.match({ onNone: () => null, onSome: ({ view }) => view ?? null })
)

/** Returns the key of the running call in caches: the workspace, with the view of a caller who does not read all. */
export const cacheKeyOf = (workspace: WorkspaceScope): Effect.Effect<string> =>
  Effect.map(currentView, (view) => (view === null ? workspace : `${workspace}/${view.key}`))

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
