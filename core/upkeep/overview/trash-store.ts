import type * as Effect from "effect/Effect"
import { z } from "zod"
import {
  DocumentId,
  EntityId,
  type Page,
  type PageRequest,
  RelationId,
  type WorkspaceScope
} from "../../platform/kernel/index.js"

/** Kind of an item in the trash; a merged entity is one that now resolves to its head. */
export const TrashKind = z.enum(["document", "entity", "relation", "merged_entity"])
export type TrashKind = z.infer<typeof TrashKind>

/** Id of an item in the trash; only here does a merged entity's id mean itself. */
export const TrashId = z.union([DocumentId, EntityId, RelationId], {
  error: "This is the id of no document, entity or relation."
})
export type TrashId = z.infer<typeof TrashId>

/** Catalog data of a deleted item. */
export interface TrashEntry {
  readonly id: TrashId
  readonly kind: TrashKind
  readonly label: string
  readonly deletedAt: string
  readonly deletedBy: string | null
  /** What is in the way of its restoration. */
  readonly blockedBy: string | null
  /** False for a relation that no person states and no document supports any more. */
  readonly carried: boolean
}

/** Reads deleted items across documents, entities and relations; writes nothing. */
export interface TrashStore {
  /**
   * Lists what people deleted or merged, of one kind or of all, newest first, then by id. Items that extraction
   * removed are left out, because extraction restores them itself.
   */
  readonly list: (
    workspace: WorkspaceScope,
    kind: TrashKind | undefined,
    page: PageRequest
  ) => Effect.Effect<Page<TrashEntry>>
}
