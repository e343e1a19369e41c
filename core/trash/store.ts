import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Page, PageRequest, WorkspaceScope } from "../kernel/index.js"
import type { TrashItem, TrashKind } from "./model.js"

/** What the catalog knows of something deleted. */
export interface TrashEntry
  extends Pick<TrashItem, "id" | "kind" | "label" | "deletedAt" | "deletedBy" | "blockedBy"> {
  /** False for a relation that nobody states and no document carries any more. */
  readonly carried: boolean
}

/** Reads what was deleted, across the tables of documents, entities and relations; writes nothing. */
export class TrashStore extends Context.Tag("kanon/TrashStore")<
  TrashStore,
  {
    /**
     * What people deleted or merged, of one kind or of all: the newest first, then by id. What extraction withdrew
     * by itself is not in the trash: it comes back by itself with the documents that carry it.
     */
    readonly list: (
      workspace: WorkspaceScope,
      kind: TrashKind | undefined,
      page: PageRequest
    ) => Effect.Effect<Page<TrashEntry>>
  }
>() {}
