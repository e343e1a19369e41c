import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { EntityId, WorkspaceScope } from "../kernel/index.js"
import type { EntityRecord } from "./model.js"

/** The lookup keys of an entity, derived from its names. */
export interface EntityFiling {
  readonly nameNorm: string
  readonly nameKey: string
  /** Ascending by the alias. */
  readonly aliases: ReadonlyArray<{ readonly alias: string; readonly norm: string; readonly key: string }>
}

/** Queries that only inspection and rebuild use. */
export class EntityInspection extends Context.Tag("kanon/EntityInspection")<
  EntityInspection,
  {
    /** By id; unknown ids are left out. */
    readonly filings: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<EntityId>
    ) => Effect.Effect<ReadonlyMap<EntityId, EntityFiling>>
    /** Rebuilds the lookup keys of an entity in the caller's transaction. */
    readonly refile: (workspace: WorkspaceScope, entity: EntityRecord) => Effect.Effect<void>
  }
>() {}
