import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { Conflict, EntityId, Page, PageRequest, WorkspaceScope } from "../kernel/index.js"
import type {
  ChangeKind,
  EntityBrief,
  EntityChange,
  EntityRecord,
  EntitySurfaces,
  Revision,
  StoredEntity
} from "./model.js"

/** A revision as the service makes it. */
export interface NewRevision {
  readonly changeKind: ChangeKind
  readonly diff: Revision["diff"]
  readonly snapshot: Revision["snapshot"]
  readonly activity: string
  readonly changedBy: string
  readonly note: string | null
  readonly createdAt: string
}

/** How many entities a workspace holds, merged and deleted ones left out. */
export interface EntityCounts {
  /** Live canonical entities. */
  readonly entities: number
  readonly byType: Readonly<Record<string, number>>
}

/** An entity as a list shows it. */
export type ListedEntity = Pick<StoredEntity, "id" | "name" | "type" | "pagerank">

/** Entities, their aliases and their revisions. */
export class EntityStore extends Context.Tag("kanon/EntityStore")<
  EntityStore,
  {
    /** In any state: live, merged or deleted. */
    readonly find: (workspace: WorkspaceScope, id: EntityId) => Effect.Effect<Option<StoredEntity>>
    /** In any state, in no promised order; unknown ids are left out. */
    readonly findMany: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<EntityId>
    ) => Effect.Effect<ReadonlyArray<StoredEntity>>
    /** The live canonical entity of this type and nameNorm. */
    readonly findByName: (
      workspace: WorkspaceScope,
      type: string,
      nameNorm: string
    ) => Effect.Effect<Option<StoredEntity>>
    /** Entities in any state whose name, claim or an alias has one of these surface keys. */
    readonly bySurface: (
      workspace: WorkspaceScope,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<StoredEntity>>
    /** Live canonical entities, the highest PageRank first, then by nameNorm, type and id. */
    readonly list: (
      workspace: WorkspaceScope,
      page: PageRequest,
      filter: { readonly type?: string }
    ) => Effect.Effect<Page<ListedEntity>>
    /** What those of them that are there are called, merged ones as their head. */
    readonly names: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<EntityId>
    ) => Effect.Effect<ReadonlyMap<EntityId, string>>
    /** All entities that have one of these as their head, the heads included. */
    readonly members: (
      workspace: WorkspaceScope,
      heads: ReadonlyArray<EntityId>
    ) => Effect.Effect<ReadonlyArray<StoredEntity>>
    /** What a card shows of the same, those that are deleted left out: of many entities it is read faster. */
    readonly briefs: (
      workspace: WorkspaceScope,
      heads: ReadonlyArray<EntityId>
    ) => Effect.Effect<ReadonlyArray<EntityBrief>>
    /**
     * Writes entities that are new (`before` null) or changed, each with its one revision, in the caller's
     * unit of work; a changed one only where the stored version still is that of `before`. Fails as a whole
     * when one lost that race or its name is taken. Each change gets the next number of the feed.
     */
    readonly commit: (
      workspace: WorkspaceScope,
      changes: ReadonlyArray<Pick<EntityChange, "before" | "after"> & { readonly revision: NewRevision }>
    ) => Effect.Effect<void, Conflict>
    /** Notes the head of entities whose chain of merges changed further on; each enters the feed again. */
    readonly setHead: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<EntityId>,
      head: EntityId
    ) => Effect.Effect<void>
    /** Newest first. */
    readonly revisions: (
      workspace: WorkspaceScope,
      id: EntityId,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Revision>>
    /** Entities in any state changed after `seq`, oldest change first: the feed that consumers follow. */
    readonly changesSince: (
      workspace: WorkspaceScope,
      seq: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<StoredEntity>>
    /** The last number of the feed; 0 when nothing was ever stored. */
    readonly position: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** All entities that detection may find: live with a live head that is neither draft nor pending, by id. */
    readonly surfaces: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<EntitySurfaces>>
    /** Live canonical entities by type, nameNorm and id: an order that does not depend on history. */
    readonly canonical: (
      workspace: WorkspaceScope
    ) => Effect.Effect<
      ReadonlyArray<Pick<EntityRecord, "id" | "type" | "nameNorm"> & { pagerank: number | null }>
    >
    /** Stores ranks; no version, no revision: a rank is computed, not decided. */
    readonly setRanks: (
      workspace: WorkspaceScope,
      ranks: ReadonlyArray<{ readonly id: EntityId; readonly pagerank: number }>
    ) => Effect.Effect<void>
    readonly counts: (workspace: WorkspaceScope) => Effect.Effect<EntityCounts>
    /** Whether any live entity is more than machine-extracted. */
    readonly hasCurated: (workspace: WorkspaceScope) => Effect.Effect<boolean>
  }
>() {}
