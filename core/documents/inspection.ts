import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { DocumentId, WorkspaceScope } from "../kernel/index.js"
import type { Chunk, Document } from "./model.js"

/** What is stored beside a document's row and can be told from it. */
export interface Filing {
  /** By what its path is found, without regard to case. */
  readonly pathKey: string
  /** The tags by which filters find it, as names are compared, ascending. */
  readonly tags: ReadonlyArray<string>
}

/** Rows that belong to no document, or to one that lies in the trash and must not have them. */
export interface Orphan {
  readonly kind: "passages" | "content" | "tags"
  readonly documentId: DocumentId
  readonly count: number
}

/** What no reader of documents is shown: for those who look for damage. */
export class DocumentInspection extends Context.Tag("kanon/DocumentInspection")<
  DocumentInspection,
  {
    /** Ids of documents, live and trashed, in id order after `after`. */
    readonly documentsAfter: (
      workspace: WorkspaceScope,
      after: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Document>>
    /**
     * The kept bytes; an empty option when there are none, and null when they cannot be read as what was
     * written.
     */
    readonly content: (workspace: WorkspaceScope, id: DocumentId) => Effect.Effect<Option<Uint8Array> | null>
    /** None when there is no such document. */
    readonly filing: (workspace: WorkspaceScope, id: DocumentId) => Effect.Effect<Option<Filing>>
    /** Files the document anew by its row, in the caller's unit of work. */
    readonly refile: (workspace: WorkspaceScope, document: Document) => Effect.Effect<void>
    /**
     * Takes the key of the document's path from another live document that stands under it and has another path: that
     * one is under a key of its own, which no path has, until it is filed itself.
     */
    readonly freePath: (
      workspace: WorkspaceScope,
      document: Pick<Document, "id" | "path">
    ) => Effect.Effect<void>
    /** Passages with these ids, whatever document they claim. */
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
    /** Whether the trail tells anything of the document. */
    readonly isAudited: (workspace: WorkspaceScope, id: DocumentId) => Effect.Effect<boolean>
    /** Ids of no document under which a text is kept, at most `limit`. */
    readonly textsOfNobody: (
      workspace: WorkspaceScope,
      limit: number
    ) => Effect.Effect<ReadonlyArray<DocumentId>>
    /** Documents that have the text of this hash, of which none is kept under their ids. */
    readonly withoutText: (
      workspace: WorkspaceScope,
      contentHash: string
    ) => Effect.Effect<ReadonlyArray<DocumentId>>
    /** Gives the row of a document another id, in the caller's unit of work. */
    readonly rename: (workspace: WorkspaceScope, from: DocumentId, to: DocumentId) => Effect.Effect<void>
    /** The last place in the feed of document changes; 0 when there is none. */
    readonly feedEnd: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** At most `limit` of them, in no promised order. */
    readonly orphans: (workspace: WorkspaceScope, limit: number) => Effect.Effect<ReadonlyArray<Orphan>>
    /** Removes what an orphan is about, in the caller's unit of work. */
    readonly removeOrphan: (workspace: WorkspaceScope, orphan: Orphan) => Effect.Effect<void>
    /** Whether a document, live or trashed, says that its bytes have this hash. */
    readonly isHeld: (workspace: WorkspaceScope, contentHash: string) => Effect.Effect<boolean>
    /**
     * Gives another place to documents and entities that stand at none that there can be in the feed of changes, or
     * at that of another, in the caller's unit of work; gives how many stood so. With `dryRun` it only counts.
     */
    readonly placeAgain: (
      workspace: WorkspaceScope,
      options: { readonly dryRun: boolean }
    ) => Effect.Effect<number>
    /**
     * Raises counters that stand below numbers that were handed out already, in the caller's unit of work, and puts
     * those right that stand above all numbers that there can be; gives how many. With `dryRun` it only counts.
     */
    readonly raiseCounters: (
      workspace: WorkspaceScope,
      options: { readonly dryRun: boolean }
    ) => Effect.Effect<number>
  }
>() {}
