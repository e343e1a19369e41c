import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { Stream } from "effect/Stream"
import type {
  Caller,
  ChunkId,
  Conflict,
  DocumentId,
  Page,
  PageRequest,
  VaultUnavailable,
  WorkspaceScope
} from "../kernel/index.js"
import type { Chunk, Document, DocumentFilter, KeptVersion, Passage } from "./model.js"

/** What a sync needs to know of each live document to tell the unchanged ones. */
export interface DocumentStamp {
  readonly id: DocumentId
  readonly path: string
  readonly contentHash: string
  readonly sizeBytes: number
  /** 0 where the file has to be looked at. */
  readonly mtimeMs: number
  /** The place of the document's last change in the feed: nobody has changed it since while it stands. */
  readonly seq: number
}

/** A file operation that a committed change still owes; start-up finishes what a crash left open. */
export interface FileIntent {
  readonly id: number
  readonly kind: "write" | "trash" | "move"
  readonly documentId: DocumentId
  readonly path: string
  /** Where the file comes from: the staged file of a write, the old path of a move. */
  readonly from: string | null
  readonly contentHash: string
  /**
   * Hash of the file that is to be replaced at `path`; the empty text where there is to be none, null where nobody
   * knows. What else is there was put there since, by somebody else.
   */
  readonly expects: string | null
  /** Who noted it: another process of this machine, which lives, one that is gone, or nobody knows. */
  readonly holder: "beside" | "gone" | "unknown"
}

/** A file operation that is about to be owed, by this process. */
export type NewIntent = Omit<FileIntent, "id" | "holder">

/** Which owed operations are meant; all that is given has to hold. */
export interface IntentFilter {
  readonly id?: number
  readonly documentId?: DocumentId
}

/** A document as a list shows it. */
export type ListedDocument = Omit<Document, "frontMatter">

/** The catalog of documents and their chunks. */
export class DocumentStore extends Context.Tag("kanon/DocumentStore")<
  DocumentStore,
  {
    /** Live or in the trash. */
    readonly find: (workspace: WorkspaceScope, id: DocumentId) => Effect.Effect<Option<Document>>
    /** The same of many, in no promised order; unknown ones are left out. */
    readonly findMany: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<Document>>
    /** How large their files are, read of nothing else; unknown ones are left out. */
    readonly sizes: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<Pick<Document, "id" | "sizeBytes">>>
    /** The live document at this path, without regard to case. */
    readonly findByPath: (workspace: WorkspaceScope, path: string) => Effect.Effect<Option<Document>>
    /** Live documents in path order (UTF-8 byte order). */
    readonly list: (
      workspace: WorkspaceScope,
      page: PageRequest,
      filter: DocumentFilter
    ) => Effect.Effect<Page<ListedDocument>>
    /** Stamps of all live documents, in path order. */
    readonly stamps: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<DocumentStamp>>
    /** Stamps of what lies in the trash, the last deleted first. */
    readonly trashStamps: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<DocumentStamp>>
    /**
     * Writes rows that are new (`before` null) or changed; a changed one only where the stored row still is at
     * the `seq` of `before`. Hands out the next `seq` of the feed. Fails as a whole when one row lost that race
     * or its path is taken.
     */
    readonly save: (
      workspace: WorkspaceScope,
      changes: ReadonlyArray<{ readonly before: Document | null; readonly after: Document }>
    ) => Effect.Effect<void, Conflict>
    /** Keeps the bytes of the present version, replacing those of the one before. */
    readonly keepContent: (
      workspace: WorkspaceScope,
      contents: ReadonlyArray<{ readonly id: DocumentId; readonly bytes: Uint8Array }>
    ) => Effect.Effect<void>
    /** The kept bytes: what the file held when it was last read or written. */
    readonly content: (workspace: WorkspaceScope, id: DocumentId) => Effect.Effect<Option<Uint8Array>>
    /** The kept bytes of many documents; those that have none are left out. */
    readonly contents: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<{ readonly id: DocumentId; readonly bytes: Uint8Array }>>
    /**
     * Notes versions that are the present ones of their documents from now on; `before` is the document until then.
     * Its text, which `keepContent` is about to replace, is put aside under its hash, together with the verification
     * that it had. Of each document the newest `keptMax` stay; texts that no version needs go. Must run in the unit
     * of work that saves the documents, before `keepContent`.
     */
    readonly addVersions: (
      workspace: WorkspaceScope,
      added: ReadonlyArray<{ readonly before: Document | null; readonly version: KeptVersion }>,
      keptMax: number
    ) => Effect.Effect<void>
    /** Versions of a document that are kept, newest first. */
    readonly versions: (
      workspace: WorkspaceScope,
      id: DocumentId,
      page: PageRequest
    ) => Effect.Effect<Page<KeptVersion>>
    /** One version and its bytes, null when they are lost; none when the version is not kept, or never was. */
    readonly version: (
      workspace: WorkspaceScope,
      id: DocumentId,
      version: number
    ) => Effect.Effect<Option<{ readonly version: KeptVersion; readonly bytes: Uint8Array | null }>>
    /** Hands out `count` new labels; gives the first of them. */
    readonly takeLabels: (workspace: WorkspaceScope, count: number) => Effect.Effect<number>
    /** Sets the stamps of files that were touched but not changed: no change of the documents, so no new `seq`. */
    readonly touch: (
      workspace: WorkspaceScope,
      stamps: ReadonlyArray<Pick<DocumentStamp, "id" | "mtimeMs" | "sizeBytes">>
    ) => Effect.Effect<void>
    /** Chunks of a document in order; none while it lies in the trash. */
    readonly chunks: (workspace: WorkspaceScope, id: DocumentId) => Effect.Effect<ReadonlyArray<Chunk>>
    /** Labels of the first `count` chunks of each of the documents, by ordinal. */
    readonly firstLabels: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>,
      count: number
    ) => Effect.Effect<ReadonlyArray<{ readonly documentId: DocumentId; readonly label: number }>>
    /** Removes by label, then adds, then moves the kept ones to their new ordinal and offsets. */
    readonly changeChunks: (
      workspace: WorkspaceScope,
      change: {
        readonly removed: ReadonlyArray<Chunk>
        readonly added: ReadonlyArray<Chunk>
        readonly kept: ReadonlyArray<Chunk>
      }
    ) => Effect.Effect<void>
    /** The live passages with these labels, in no promised order; unknown labels are left out. */
    readonly passages: (
      workspace: WorkspaceScope,
      labels: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<Passage>>
    /** The live passage with this id. */
    readonly passageById: (workspace: WorkspaceScope, id: ChunkId) => Effect.Effect<Option<Passage>>
    /** Labels of all live chunks that the filter lets through. */
    readonly labels: (
      workspace: WorkspaceScope,
      filter: DocumentFilter
    ) => Effect.Effect<ReadonlyArray<number>>
    /** Every live passage, by document path and ordinal: an order that does not depend on how the corpus grew. */
    readonly allPassages: (workspace: WorkspaceScope) => Stream<Passage>
    /** How many live documents and chunks there are. */
    readonly counts: (workspace: WorkspaceScope) => Effect.Effect<{ documents: number; chunks: number }>
    /** Whether any live document is verified or certified. */
    readonly hasVerified: (workspace: WorkspaceScope) => Effect.Effect<boolean>
    /** Documents (live and trashed) changed after `seq`, oldest change first: the feed that consumers follow. */
    readonly changesSince: (
      workspace: WorkspaceScope,
      seq: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Document>>
    /** Documents in the trash, newest deletion first. */
    readonly trashed: (workspace: WorkspaceScope, page: PageRequest) => Effect.Effect<Page<Document>>
    /** Documents that were put in the trash before this moment, the oldest first. */
    readonly trashedBefore: (
      workspace: WorkspaceScope,
      before: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Document>>
    /**
     * Removes documents for good that lie in the trash since before this moment, with their texts and versions; gives
     * those that it removed. Texts that another document still needs stay.
     */
    readonly purge: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>,
      before: string
    ) => Effect.Effect<ReadonlyArray<Document>>
    /** Removes versions beyond the newest `keptMax` of each document, at most `limit`; gives how many. */
    readonly pruneVersions: (
      workspace: WorkspaceScope,
      keptMax: number,
      limit: number
    ) => Effect.Effect<number>
    /** Notes a file operation in the unit of work that owes it; gives the number to close it by. */
    readonly openIntent: (workspace: WorkspaceScope, intent: NewIntent) => Effect.Effect<number>
    /**
     * The number of the file operation that was noted last, done or not; 0 before the first. As long as it stays, no
     * file was moved, trashed or written by us.
     */
    readonly lastIntent: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** Says that operations were done; one that is closed already stays so. */
    readonly closeIntent: (workspace: WorkspaceScope, ...ids: ReadonlyArray<number>) => Effect.Effect<void>
    /** What is still owed, or of that what the filter lets through, in the order in which it was noted. */
    readonly openIntents: (
      workspace: WorkspaceScope,
      filter?: IntentFilter
    ) => Effect.Effect<ReadonlyArray<FileIntent>>
  }
>() {}

/** Whoever keeps an index of chunks: called in the unit of work that changes them, so that neither is seen alone. */
export class ChunkIndex extends Context.Tag("kanon/ChunkIndex")<
  ChunkIndex,
  {
    /** Takes out the chunks with the removed labels (unknown ones are passed over), then takes in the added ones. */
    readonly change: (
      workspace: WorkspaceScope,
      change: {
        readonly removed: ReadonlyArray<number>
        /** `title` is the document's; it is indexed with the text. */
        readonly added: ReadonlyArray<{ readonly chunk: Chunk; readonly title: string }>
      }
    ) => Effect.Effect<void>
  }
>() {}

/** Size and time of the last change of a file: equal stamps mean an untouched file. */
export interface FileStamp {
  readonly sizeBytes: number
  /** The later of modification and status change, so that a restored modification time hides nothing. */
  readonly mtimeMs: number
}

/** A file as found by a walk of the vault, before it is read. */
export interface VaultEntry extends FileStamp {
  readonly path: string
  /** Set when the name is kept although it would not be portable. */
  readonly warning?: { readonly code: string; readonly message: string }
}

/** A file that the walk cannot offer, and why. */
export interface VaultRefusal {
  readonly path: string
  readonly code: string
  readonly message: string
}

/** A temporary file that is written and on its way to the disk. */
export interface StagedFile {
  readonly handle: string
  /** Waits until the file is on the disk. Where that fails there is no such file any more. */
  readonly synced: Effect.Effect<void, VaultUnavailable>
}

/** Brings rows in line with files that were changed from outside; the vault-sync room implements it. */
export class FileSync extends Context.Tag("kanon/FileSync")<
  FileSync,
  {
    /** Indexes the file at a path, or the files under it, as they are now. A file that cannot be read is left. */
    readonly sync: (path: string) => Effect.Effect<void, VaultUnavailable, Caller>
  }
>() {}

/**
 * The folder of Markdown files. Paths have passed the path rules. Never leaves the vault's root: a symbolic
 * link that points outside is refused.
 */
export class Vault extends Context.Tag("kanon/Vault")<
  Vault,
  {
    /** Every Markdown file, in path order; names that start with a dot are skipped without a word. */
    readonly walk: (
      under: string
    ) => Effect.Effect<
      { readonly entries: ReadonlyArray<VaultEntry>; readonly refused: ReadonlyArray<VaultRefusal> },
      VaultUnavailable
    >
    /** The bytes and the stamp; none when there is no such file. Refuses files over `limitBytes`. */
    readonly read: (
      path: string,
      limitBytes: number
    ) => Effect.Effect<Option<{ readonly bytes: Uint8Array; readonly stamp: FileStamp }>, VaultUnavailable>
    /**
     * Fails when a file could not be put at, or taken from, this path: no right to write there, a file where
     * a folder is needed, a folder in its place. Changes nothing.
     */
    readonly checkWritable: (path: string) => Effect.Effect<void, VaultUnavailable>
    /**
     * Writes and syncs a temporary file on the vault's disk; gives a handle that this vault understands. Fails
     * as `checkWritable` does, so that what is committed afterwards can be published.
     */
    readonly stage: (path: string, bytes: Uint8Array) => Effect.Effect<string, VaultUnavailable>
    /**
     * As `stage`, for who has something to do while the disk syncs: nothing that relies on the file may be committed
     * before it is `synced`.
     */
    readonly stageAhead: (path: string, bytes: Uint8Array) => Effect.Effect<StagedFile, VaultUnavailable>
    /**
     * Puts a staged file in its place and syncs the folder. Repeating it after success does nothing; fails when the
     * staged file is gone and there is none in its place.
     */
    readonly publish: (path: string, handle: string) => Effect.Effect<void, VaultUnavailable>
    /** Removes a staged file that will not be published. */
    readonly discard: (handle: string) => Effect.Effect<void>
    /** Moves a file; repeating it after success does nothing. Fails when it is at neither place. */
    readonly move: (from: string, to: string) => Effect.Effect<void, VaultUnavailable>
    /** Moves a file to the trash under the document's id; a missing file is no failure. */
    readonly trash: (path: string, id: DocumentId) => Effect.Effect<void, VaultUnavailable>
    /** Bytes of a trashed file; none when the trash does not hold it. */
    readonly readTrash: (id: DocumentId) => Effect.Effect<Option<Uint8Array>, VaultUnavailable>
    /** Removes a file from the trash; a missing one is no failure. */
    readonly dropTrash: (id: DocumentId) => Effect.Effect<void, VaultUnavailable>
    /** Documents of which the trash holds a file, in id order. */
    readonly trashed: Effect.Effect<ReadonlyArray<DocumentId>, VaultUnavailable>
    /** Temporary files whose process is gone. */
    readonly strays: Effect.Effect<ReadonlyArray<string>, VaultUnavailable>
    /**
     * Paths that changed on disk, in small batches, until the stream is closed. The first batch, which may be
     * empty, says that the watch stands: whoever looks at the files then misses no change.
     */
    readonly watch: Stream<ReadonlyArray<string>, VaultUnavailable>
  }
>() {}
