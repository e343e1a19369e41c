import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { AuditId, WorkspaceScope } from "../kernel/index.js"
import type { AuditDraft, AuditEvent, AuditFilter, ChainHead, StoredEvent } from "./model.js"

/** A range of the chain and its end, in one snapshot. */
export interface ChainPage {
  readonly events: ReadonlyArray<StoredEvent>
  /** The stored head of the chain; null if it is missing. */
  readonly head: ChainHead | null
}

/** Filter and order of a list of events. */
export interface AuditSlice extends AuditFilter {
  /** Position to continue after, in the order of the slice; default: the beginning. */
  readonly after?: number | undefined
  readonly order: "newest_first" | "oldest_first"
  readonly limit: number
}

/** A listed event with the hash of the event before it (null if there is none). */
export interface ListedEvent extends StoredEvent {
  readonly hashBefore: string | null
}

/**
 * An adapter of a database implements it, or one of a write-once log, so that nobody can change the trail afterwards.
 * Stores the append-only hash chain of each workspace. It refuses updates and deletions from every caller.
 */
export class AuditLog extends Context.Tag("kanon/AuditLog")<
  AuditLog,
  {
    /**
     * Appends events in the caller's unit of work, in the given order, each linked to the one before (`linked`).
     * Concurrent appends to the workspace wait until the unit ends, so the chain never forks.
     */
    readonly append: (workspace: WorkspaceScope, events: ReadonlyArray<AuditDraft>) => Effect.Effect<void>
    /**
     * Imports events of an export unchanged, in the caller's unit of work. The chain ends at the given head unless a
     * later one is stored.
     */
    readonly adopt: (
      workspace: WorkspaceScope,
      events: ReadonlyArray<StoredEvent>,
      head: ChainHead | null
    ) => Effect.Effect<void>
    /** Returns the newest events of one subject, newest first. */
    readonly ofSubject: (
      workspace: WorkspaceScope,
      subjectId: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<AuditEvent>>
    /** Returns the subjects of events later than a moment whose ids begin with this prefix. */
    readonly subjectsSince: (
      workspace: WorkspaceScope,
      idPrefix: string,
      at: string
    ) => Effect.Effect<ReadonlyArray<string>>
    /** Returns the events of many subjects up to a moment, in chain order. */
    readonly ofSubjectsUntil: (
      workspace: WorkspaceScope,
      subjectIds: ReadonlyArray<string>,
      at: string
    ) => Effect.Effect<ReadonlyArray<AuditEvent>>
    /** Returns at most `limit` events after a position, in chain order. */
    readonly page: (workspace: WorkspaceScope, after: number, limit: number) => Effect.Effect<ChainPage>
    /** Returns whether the workspace has changes that must have been audited: versions of documents or entities. */
    readonly isOwed: (workspace: WorkspaceScope) => Effect.Effect<boolean>
    /** Returns the events of a list. */
    readonly list: (workspace: WorkspaceScope, slice: AuditSlice) => Effect.Effect<ReadonlyArray<ListedEvent>>
    /** Counts the events that match a filter. */
    readonly count: (workspace: WorkspaceScope, filter: AuditFilter) => Effect.Effect<number>
    /** Returns the position of an event. */
    readonly positionOf: (workspace: WorkspaceScope, id: AuditId) => Effect.Effect<Option<number>>
  }
>() {}
