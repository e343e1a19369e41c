import type * as Effect from "effect/Effect"
import { z } from "zod"
import type { ChangeKind } from "../../knowledge/entities/index.js"
import { type EntityId, Timestamp, type WorkspaceScope } from "../../platform/kernel/index.js"

/** What an item of the inbox is about. */
export const InboxKind = z.enum([
  "change_request",
  "change",
  "review",
  "verification",
  "duplicate",
  "approval",
  "sync_conflict",
  "feedback",
  "judgment",
  "contradiction",
  "proposal"
])
export type InboxKind = z.infer<typeof InboxKind>

/** What a person said about an item. `done` and `rejected` items are shown again when they wait for something newer. */
export const InboxMark = z.object({
  kind: InboxKind,
  itemId: z.string().max(400),
  state: z.enum(["open", "done", "rejected"]),
  assignedTo: z.string().nullable(),
  waitedSince: Timestamp.describe("Since when the item waited that was marked."),
  markedBy: z.string(),
  updatedAt: Timestamp
})
export type InboxMark = z.infer<typeof InboxMark>

/** The latest change of an entity that its owner or steward did not make. */
export interface ForeignChange {
  readonly entityId: EntityId
  readonly name: string
  readonly authority: string
  readonly version: number
  readonly changeKind: ChangeKind
  readonly changedBy: string
  readonly createdAt: string
}

/** Whose entities are looked at, and since when. */
export interface ForeignChangeQuery {
  readonly person: string
  readonly since: string
  readonly limit: number
}

/** Marks of the inbox, and the changes that it shows to owners. */
export interface InboxStore {
  /** Returns the marks of these items, in any order. */
  readonly marksOf: (
    workspace: WorkspaceScope,
    itemIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<InboxMark>>
  /** Returns the ids of the rejected items of a kind. */
  readonly rejected: (workspace: WorkspaceScope, kind: InboxKind) => Effect.Effect<ReadonlyArray<string>>
  /** Adds a mark, or replaces that of the same item. */
  readonly mark: (workspace: WorkspaceScope, mark: InboxMark) => Effect.Effect<void>
  /**
   * Returns live canonical entities that the person owns or stewards, each with its latest change by another one since
   * then: no request, no extraction, and nothing up to the last change of the owner. Newest first.
   */
  readonly foreignChanges: (
    workspace: WorkspaceScope,
    query: ForeignChangeQuery
  ) => Effect.Effect<ReadonlyArray<ForeignChange>>
}
