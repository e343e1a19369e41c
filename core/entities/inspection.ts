import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { EntityId, WorkspaceScope } from "../kernel/index.js"
import type { EntityRecord, Revision } from "./model.js"

/** The keys under which an entity is looked for. */
export interface EntityFiling {
  readonly nameNorm: string
  readonly nameKey: string
  /** By alias, ascending by the alias. */
  readonly aliases: ReadonlyArray<{ readonly alias: string; readonly norm: string; readonly key: string }>
}

/** A revision as it lies there; null for what cannot be read. */
export interface KeptRevision extends Omit<Revision, "changeKind" | "diff" | "snapshot"> {
  readonly changeKind: string
  readonly snapshot: Revision["snapshot"] | null
  readonly diff: Revision["diff"] | null
}

/** What a person, or a repair, did to an entity that was there; the change is null where it cannot be read. */
export interface PersonAct {
  readonly changeKind: string
  readonly note: string | null
  readonly diff: Revision["diff"] | null
}

/** What no reader of entities is shown: for those who look for damage. */
export class EntityInspection extends Context.Tag("kanon/EntityInspection")<
  EntityInspection,
  {
    /** By id; unknown ones are left out. */
    readonly filings: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<EntityId>
    ) => Effect.Effect<ReadonlyMap<EntityId, EntityFiling>>
    /** Files an entity anew by its name and aliases, in the caller's unit of work. */
    readonly refile: (workspace: WorkspaceScope, entity: EntityRecord) => Effect.Effect<void>
    /** How many aliases belong to no entity. */
    readonly strayAliases: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** Removes them, in the caller's unit of work. */
    readonly removeStrayAliases: (workspace: WorkspaceScope) => Effect.Effect<void>
    /** Ids of entities that are none, and that no revision tells of. */
    readonly impossibleIds: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<string>>
    /** Removes those entities, in the caller's unit of work. */
    readonly removeImpossible: (workspace: WorkspaceScope) => Effect.Effect<void>
    /** Removes an entity that no revision tells of, in the caller's unit of work. */
    readonly removeUnknown: (workspace: WorkspaceScope, id: EntityId) => Effect.Effect<void>
    /** Entities with revisions of which a part cannot be read, or that say what cannot be; at most `limit`. */
    readonly brokenRevisions: (
      workspace: WorkspaceScope,
      limit: number
    ) => Effect.Effect<ReadonlyArray<EntityId>>
    /** Every revision of an entity as far as it can be read, oldest first. */
    readonly keptRevisions: (
      workspace: WorkspaceScope,
      id: EntityId
    ) => Effect.Effect<ReadonlyArray<KeptRevision>>
    /** What others than extraction did to these entities since they were made, oldest first. */
    readonly personActs: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<EntityId>
    ) => Effect.Effect<ReadonlyMap<EntityId, ReadonlyArray<PersonAct>>>
    /** The newest revision; null where there is none. */
    readonly lastRevision: (workspace: WorkspaceScope, id: EntityId) => Effect.Effect<KeptRevision | null>
    /**
     * Writes a broken revision anew, in the caller's unit of work: the one change of history that there is. False where
     * the database does not let this role do so.
     */
    readonly rewriteRevision: (
      workspace: WorkspaceScope,
      id: EntityId,
      revision: Revision
    ) => Effect.Effect<boolean>
    /** Entities that revisions tell of and that are not there; at most `limit`. */
    readonly lost: (workspace: WorkspaceScope, limit: number) => Effect.Effect<ReadonlyArray<EntityId>>
  }
>() {}
