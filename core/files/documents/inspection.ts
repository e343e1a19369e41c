import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { DocumentId, WorkspaceScope } from "../../platform/kernel/index.js"
import type { Chunk, Document } from "./model.js"

/** Keys that are derived from a document's row. */
export interface Filing {
  /** The path in the form that is looked up, case-folded. */
  readonly pathKey: string
  /** The tags in the form that filters look up, ascending. */
  readonly tags: ReadonlyArray<string>
}

/** Rows whose document does not exist; passages also of one in the trash. */
export interface Orphan {
  readonly kind: "passages" | "content" | "tags"
  readonly documentId: DocumentId
  readonly count: number
}

/** Queries of documents that only inspection and rebuild need. */
export interface DocumentInspection {
  /** Documents, live and trashed, in id order after `after`. */
  readonly documentsAfter: (
    workspace: WorkspaceScope,
    after: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Document>>
  /** The stored bytes; none when there are none, null when they cannot be decompressed. */
  readonly content: (workspace: WorkspaceScope, id: DocumentId) => Effect.Effect<Option<Uint8Array> | null>
  /** None when there is no such document. */
  readonly filing: (workspace: WorkspaceScope, id: DocumentId) => Effect.Effect<Option<Filing>>
  /** Derives the filing of a document again, in the caller's transaction. */
  readonly refile: (workspace: WorkspaceScope, document: Document) => Effect.Effect<void>
  /** Passages with these ids, of any document. */
  readonly passagesOfIds: (
    workspace: WorkspaceScope,
    ids: ReadonlyArray<Chunk["id"]>
  ) => Effect.Effect<ReadonlyArray<Chunk>>
  /** Labels of all passages in ascending order after `after`. */
  readonly labelsAfter: (
    workspace: WorkspaceScope,
    after: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<number>>
  /** The last position in the feed of document changes; 0 when there is none. */
  readonly feedEnd: (workspace: WorkspaceScope) => Effect.Effect<number>
  /** At most `limit` orphans, in no promised order. */
  readonly orphans: (workspace: WorkspaceScope, limit: number) => Effect.Effect<ReadonlyArray<Orphan>>
  /** Removes orphaned derived rows, in the caller's transaction. */
  readonly removeOrphan: (
    workspace: WorkspaceScope,
    orphan: Orphan & { readonly kind: "passages" | "tags" }
  ) => Effect.Effect<void>
  /** Whether a document, live or trashed, or an older version has bytes with this hash. */
  readonly hasText: (workspace: WorkspaceScope, contentHash: string) => Effect.Effect<boolean>
  /**
   * Raises counters that are below numbers in use, in the caller's transaction; returns how many. With `dryRun` it
   * only counts them.
   */
  readonly raiseCounters: (
    workspace: WorkspaceScope,
    options: { readonly dryRun: boolean }
  ) => Effect.Effect<number>
}
