import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { Conflict, EntityId, Page, PageRequest, WorkspaceScope } from "../../platform/kernel/index.js"
import type { ChangeRequestStore } from "./change-request.js"
import type {
  ChangeKind,
  EntityBrief,
  EntityChange,
  EntityListing,
  EntityRecord,
  EntitySurfaces,
  Revision,
  StoredEntity
} from "./model.js"

/** A revision to be written. */
export interface NewRevision {
  readonly changeKind: ChangeKind
  readonly diff: Revision["diff"]
  readonly snapshot: Revision["snapshot"]
  readonly activity: string
  readonly changedBy: string
  readonly note: string | null
  readonly createdAt: string
}

/** Number of entities of a workspace, without merged and deleted ones. */
export interface EntityCounts {
  /** Live canonical entities. */
  readonly entities: number
  readonly byType: Readonly<Record<string, number>>
}

/** An entity as a list shows it. */
export type ListedEntity = Pick<
  StoredEntity,
  "id" | "name" | "type" | "pagerank" | "authority" | "lifecycle" | "ownerId" | "nextReviewAt"
>

/**
 * An adapter of a database implements it to keep entities with their aliases and revisions, and proposed changes of
 * them.
 */
export class EntityStore extends Context.Tag("kanon/EntityStore")<
  EntityStore,
  {
    /** Returns an entity in any state: live, merged or deleted. */
    readonly find: (workspace: WorkspaceScope, id: EntityId) => Effect.Effect<Option<StoredEntity>>
    /** Returns entities in any state, in unspecified order; unknown ids are left out. */
    readonly findMany: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<EntityId>
    ) => Effect.Effect<ReadonlyArray<StoredEntity>>
    /** Returns the live canonical entity of this type and nameNorm. */
    readonly findByName: (
      workspace: WorkspaceScope,
      type: string,
      nameNorm: string
    ) => Effect.Effect<Option<StoredEntity>>
    /** Returns entities in any state whose name, claim or alias has one of these surface keys. */
    readonly bySurface: (
      workspace: WorkspaceScope,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<StoredEntity>>
    /** Lists live canonical entities, the highest PageRank first unless asked otherwise, then by nameNorm, type, id. */
    readonly list: (
      workspace: WorkspaceScope,
      page: PageRequest,
      filter: EntityListing
    ) => Effect.Effect<Page<ListedEntity>>
    /** Returns the names of the entities that exist; merged ones have the name of their head. */
    readonly names: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<EntityId>
    ) => Effect.Effect<ReadonlyMap<EntityId, string>>
    /** Returns all entities whose head is one of these, including the heads. */
    readonly members: (
      workspace: WorkspaceScope,
      heads: ReadonlyArray<EntityId>
    ) => Effect.Effect<ReadonlyArray<StoredEntity>>
    /** Returns the card fields of the same entities without deleted ones; faster than `members` for many entities. */
    readonly briefs: (
      workspace: WorkspaceScope,
      heads: ReadonlyArray<EntityId>
    ) => Effect.Effect<ReadonlyArray<EntityBrief>>
    /**
     * Writes new (`before` null) or changed entities, each with one revision, in the caller's unit of work. A changed
     * one is written only if the stored version is still that of `before`. Fails as a whole on a lost race or a taken
     * name. Each change gets the next feed number.
     */
    readonly commit: (
      workspace: WorkspaceScope,
      changes: ReadonlyArray<Pick<EntityChange, "before" | "after"> & { readonly revision: NewRevision }>
    ) => Effect.Effect<void, Conflict>
    /** Updates the head of entities whose chain of merges changed; each enters the feed again. */
    readonly setHead: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<EntityId>,
      head: EntityId
    ) => Effect.Effect<void>
    /** Lists revisions, newest first. */
    readonly revisions: (
      workspace: WorkspaceScope,
      id: EntityId,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Revision>>
    /** Returns the last revision of each of these entities up to a moment; those made later are left out. */
    readonly revisionsAt: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<EntityId>,
      at: string
    ) => Effect.Effect<ReadonlyArray<{ readonly entityId: EntityId; readonly revision: Revision }>>
    /** Returns entities in any state changed after `seq`, oldest change first. Consumers follow this feed. */
    readonly changesSince: (
      workspace: WorkspaceScope,
      seq: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<StoredEntity>>
    /** Returns the last feed number; 0 when nothing was ever stored. */
    readonly position: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** Returns all detectable entities by id: live, with a live head that is neither draft nor pending review. */
    readonly surfaces: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<EntitySurfaces>>
    /** Lists live canonical entities by type, nameNorm and id, an order independent of history. */
    readonly canonical: (
      workspace: WorkspaceScope
    ) => Effect.Effect<
      ReadonlyArray<Pick<EntityRecord, "id" | "type" | "nameNorm"> & { pagerank: number | null }>
    >
    /** Stores ranks without a new version or revision. */
    readonly setRanks: (
      workspace: WorkspaceScope,
      ranks: ReadonlyArray<{ readonly id: EntityId; readonly pagerank: number }>
    ) => Effect.Effect<void>
    readonly counts: (workspace: WorkspaceScope) => Effect.Effect<EntityCounts>
    /** Returns whether any live entity has an authority above machine-extracted. */
    readonly hasCurated: (workspace: WorkspaceScope) => Effect.Effect<boolean>
    /** Queries for inspection and rebuild. */
    readonly inspection: EntityInspection
    /** Proposed changes of entities. */
    readonly requests: ChangeRequestStore
  }
>() {}

/** The lookup keys of an entity, derived from its names. */
export interface EntityFiling {
  readonly nameNorm: string
  readonly nameKey: string
  /** Ascending by the alias. */
  readonly aliases: ReadonlyArray<{ readonly alias: string; readonly norm: string; readonly key: string }>
}

/** Queries that only inspection and rebuild use. */
export interface EntityInspection {
  /** By id; unknown ids are left out. */
  readonly filings: (
    workspace: WorkspaceScope,
    ids: ReadonlyArray<EntityId>
  ) => Effect.Effect<ReadonlyMap<EntityId, EntityFiling>>
  /** Rebuilds the lookup keys of an entity in the caller's transaction. */
  readonly refile: (workspace: WorkspaceScope, entity: EntityRecord) => Effect.Effect<void>
}
