import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { ChunkId, WorkspaceScope } from "../kernel/index.js"
import type { ChunkView, HubConcept } from "./model.js"

/** What can be counted of a workspace; values that nothing has are left out. */
export interface OverviewCounts {
  readonly documentsByVerification: Readonly<Record<string, number>>
  readonly chunks: number
  readonly entitiesByType: Readonly<Record<string, number>>
  readonly byAuthority: Readonly<Record<string, number>>
  readonly byLifecycle: Readonly<Record<string, number>>
  readonly relationsByType: Readonly<Record<string, number>>
  /** Live canonical entities whose next review is before the given moment. */
  readonly overdueReviews: number
  readonly neverReviewed: number
}

/** What one person looks after. */
export interface Stewardship {
  readonly person: string
  readonly owned: number
  readonly stewarded: number
  readonly overdue: number
}

/** Reads across the tables of all rooms; writes nothing. */
export class OverviewStore extends Context.Tag("kanon/OverviewStore")<
  OverviewStore,
  {
    /** Live documents, their chunks, live canonical entities and canonical relations. */
    readonly counts: (workspace: WorkspaceScope, at: string) => Effect.Effect<OverviewCounts>
    /** A live passage with up to `context` passages on each side of it. */
    readonly chunk: (
      workspace: WorkspaceScope,
      id: ChunkId,
      context: number
    ) => Effect.Effect<Option<ChunkView>>
    /** What these people look after: live canonical entities, and those overdue for review at the moment. */
    readonly stewardship: (
      workspace: WorkspaceScope,
      people: ReadonlyArray<string>,
      at: string
    ) => Effect.Effect<ReadonlyArray<Stewardship>>
    /** The published entities to which most canonical relations point, ties by mentions, then by id. */
    readonly hubs: (workspace: WorkspaceScope, limit: number) => Effect.Effect<ReadonlyArray<HubConcept>>
  }
>() {}
