import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { AuditId, WorkspaceScope } from "../kernel/index.js"
import type { AuditDraft, AuditEvent, AuditFilter, ChainHead, StoredEvent } from "./model.js"

/** A stretch of the chain and where it ended, as they were at one moment. */
export interface ChainPage {
  readonly events: ReadonlyArray<StoredEvent>
  /** The end that the log keeps beside the events; null where it was lost. */
  readonly head: ChainHead | null
}

/** Which events of a list are wanted. */
export interface AuditSlice extends AuditFilter {
  /** The event after which to go on, in the order of the slice; from the beginning by default. */
  readonly after?: number | undefined
  readonly order: "newest_first" | "oldest_first"
  readonly limit: number
}

/** An event of a list, with the hash that stands at the place before it (null where nothing does). */
export interface ListedEvent extends StoredEvent {
  readonly hashBefore: string | null
}

/**
 * The append-only trail: a chain of hashes for each workspace. The log itself refuses to change or remove what it
 * holds, whoever asks.
 */
export class AuditLog extends Context.Tag("kanon/AuditLog")<
  AuditLog,
  {
    /**
     * Appends in the caller's unit of work, in the order given, each event linked to the one before (`linked`). Whoever
     * else appends to the workspace meanwhile waits until the unit has ended, so that a chain never forks.
     */
    readonly append: (workspace: WorkspaceScope, events: ReadonlyArray<AuditDraft>) => Effect.Effect<void>
    /**
     * Takes events of an export in as they are, in the caller's unit of work. The chain ends at the head that is given,
     * unless the log knows of a later one.
     */
    readonly adopt: (
      workspace: WorkspaceScope,
      events: ReadonlyArray<StoredEvent>,
      head: ChainHead | null
    ) => Effect.Effect<void>
    /** The newest events of one subject, newest first. */
    readonly ofSubject: (
      workspace: WorkspaceScope,
      subjectId: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<AuditEvent>>
    /** The events behind a position, at most `limit`, in the order of the chain. */
    readonly page: (workspace: WorkspaceScope, after: number, limit: number) => Effect.Effect<ChainPage>
    /** Whether the workspace holds changes that events must have told of: versions of texts or of entities. */
    readonly isOwed: (workspace: WorkspaceScope) => Effect.Effect<boolean>
    /** The events of a list. */
    readonly list: (workspace: WorkspaceScope, slice: AuditSlice) => Effect.Effect<ReadonlyArray<ListedEvent>>
    /** How many events a filter lets through. */
    readonly count: (workspace: WorkspaceScope, filter: AuditFilter) => Effect.Effect<number>
    /** The place of an event. */
    readonly positionOf: (workspace: WorkspaceScope, id: AuditId) => Effect.Effect<Option<number>>
  }
>() {}
