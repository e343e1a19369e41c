import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Page, PageRequest, WorkspaceScope } from "../../platform/kernel/index.js"
import type { TrashItem, TrashKind } from "./model.js"

/** Catalog data of a deleted item. */
export interface TrashEntry
  extends Pick<TrashItem, "id" | "kind" | "label" | "deletedAt" | "deletedBy" | "blockedBy"> {
  /** False for a relation that no person states and no document supports any more. */
  readonly carried: boolean
}

/** Reads deleted items across documents, entities and relations; writes nothing. */
export class TrashStore extends Context.Tag("kanon/TrashStore")<
  TrashStore,
  {
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
>() {}
