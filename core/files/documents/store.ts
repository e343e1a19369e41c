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
} from "../../platform/kernel/index.js"
import type { DocumentInspection } from "./inspection.js"
import type { Chunk, Document, DocumentFilter, DocumentListing, KeptVersion, Passage } from "./model.js"
import type { ProposalStore } from "./proposed-document.js"

/** The fields of a live document by which a sync recognizes unchanged files. */
export interface DocumentStamp {
  readonly id: DocumentId
  readonly path: string
  readonly contentHash: string
  readonly sizeBytes: number
  /** 0 when the file has to be read. */
  readonly mtimeMs: number
  /** Feed position of the document's last change; unchanged as long as the document is. */
  readonly seq: number
  /** Whether an older version of the converters made its text. */
  readonly isOutdated?: boolean
}

/** A pending file operation of a committed change; start-up finishes those that a crash left open. */
export interface FileIntent {
  readonly id: number
  readonly kind: "write" | "trash" | "move"
  readonly documentId: DocumentId
  readonly path: string
  /** Source of the file: the staged file of a write, the old path of a move. */
  readonly from: string | null
  readonly contentHash: string
  /**
   * Hash of the file to be replaced at `path`; the empty text when none is expected, null when unknown. Any other file
   * was written there later by another program.
   */
  readonly expects: string | null
  /** The process that opened it: another live process of this host, a dead one, or unknown. */
  readonly holder: "beside" | "gone" | "unknown"
}

/** A file operation to be opened by this process. */
export type NewIntent = Omit<FileIntent, "id" | "holder">

/** Filter of pending operations; all given fields must match. */
export interface IntentFilter {
  readonly id?: number
  readonly documentId?: DocumentId
}

/** A document in a list. */
export type ListedDocument = Omit<Document, "frontMatter">

/**
 * An adapter of a database implements it to keep the rows, passages and versions of documents, and proposed documents.
 */
export class DocumentStore extends Context.Tag("kanon/DocumentStore")<
  DocumentStore,
  {
    /** Finds a document, live or in the trash. */
    readonly find: (workspace: WorkspaceScope, id: DocumentId) => Effect.Effect<Option<Document>>
    /** Finds many documents, in no guaranteed order; unknown ids are omitted. */
    readonly findMany: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<Document>>
    /** Returns the sizes of files; unknown ids are omitted. */
    readonly sizes: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<Pick<Document, "id" | "sizeBytes">>>
    /** Returns the live document at this path, compared without case. */
    readonly findByPath: (workspace: WorkspaceScope, path: string) => Effect.Effect<Option<Document>>
    /** Returns live documents, in path order (UTF-8 byte order) unless another one is asked for. */
    readonly list: (
      workspace: WorkspaceScope,
      page: PageRequest,
      filter: DocumentListing
    ) => Effect.Effect<Page<ListedDocument>>
    /** Returns the folders in a folder (empty for the top) with their numbers of live documents, in order of path. */
    readonly folders: (
      workspace: WorkspaceScope,
      folder: string
    ) => Effect.Effect<ReadonlyArray<{ readonly path: string; readonly documents: number }>>
    /** Returns the stamps of all live documents, in path order. */
    readonly stamps: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<DocumentStamp>>
    /** Returns the stamps of trashed documents, latest deletion first. */
    readonly trashStamps: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<DocumentStamp>>
    /**
     * Saves rows that are new (`before` null) or changed; a changed one only while the stored row has the `seq` of
     * `before`. Assigns the next `seq` of the feed. Fails as a whole when one row was changed concurrently or its path
     * is taken.
     */
    readonly save: (
      workspace: WorkspaceScope,
      changes: ReadonlyArray<{ readonly before: Document | null; readonly after: Document }>
    ) => Effect.Effect<void, Conflict>
    /** Stores the bytes of the present version, replacing those of the one before. */
    readonly keepContent: (
      workspace: WorkspaceScope,
      contents: ReadonlyArray<{ readonly id: DocumentId; readonly bytes: Uint8Array }>
    ) => Effect.Effect<void>
    /** Returns the stored bytes: the content of the file when it was last read or written. */
    readonly content: (workspace: WorkspaceScope, id: DocumentId) => Effect.Effect<Option<Uint8Array>>
    /** Returns the stored bytes of many documents; those without any are omitted. */
    readonly contents: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<{ readonly id: DocumentId; readonly bytes: Uint8Array }>>
    /**
     * Adds versions that become the present ones of their documents; `before` is the document until then. Its text,
     * which `keepContent` is about to replace, is stored under its hash, together with its verification. Keeps the
     * newest `keptMax` versions of each document and removes texts that no version needs. Must run in the unit of work
     * that saves the documents, before `keepContent`.
     */
    readonly addVersions: (
      workspace: WorkspaceScope,
      added: ReadonlyArray<{ readonly before: Document | null; readonly version: KeptVersion }>,
      keptMax: number
    ) => Effect.Effect<void>
    /** Returns the stored versions of a document, newest first. */
    readonly versions: (
      workspace: WorkspaceScope,
      id: DocumentId,
      page: PageRequest
    ) => Effect.Effect<Page<KeptVersion>>
    /** Returns one version and its bytes, null when they are lost; none when the version is not stored. */
    readonly version: (
      workspace: WorkspaceScope,
      id: DocumentId,
      version: number
    ) => Effect.Effect<Option<{ readonly version: KeptVersion; readonly bytes: Uint8Array | null }>>
    /** Allocates `count` new labels; returns the first. */
    readonly takeLabels: (workspace: WorkspaceScope, count: number) => Effect.Effect<number>
    /**
     * Updates the stamps of files that were touched but not changed. The documents do not change, so there is no new
     * `seq`.
     */
    readonly touch: (
      workspace: WorkspaceScope,
      stamps: ReadonlyArray<Pick<DocumentStamp, "id" | "mtimeMs" | "sizeBytes">>
    ) => Effect.Effect<void>
    /**
     * Notes for other processes how far an ingest has come with new files; null ends it. It holds until `until`, since
     * a killed process ends nothing.
     */
    readonly noteIndexing: (
      workspace: WorkspaceScope,
      progress: { readonly done: number; readonly total: number; readonly until: string } | null
    ) => Effect.Effect<void>
    /** Returns what was noted last, if it still holds at the given time. */
    readonly indexing: (
      workspace: WorkspaceScope,
      at: string
    ) => Effect.Effect<Option<{ readonly done: number; readonly total: number }>>
    /** Returns the chunks of a document in order; none while it is in the trash. */
    readonly chunks: (workspace: WorkspaceScope, id: DocumentId) => Effect.Effect<ReadonlyArray<Chunk>>
    /** Returns the labels of the first `count` chunks of each document, by ordinal. */
    readonly firstLabels: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>,
      count: number
    ) => Effect.Effect<ReadonlyArray<{ readonly documentId: DocumentId; readonly label: number }>>
    /** Removes chunks by label, adds new ones, and updates ordinal and offsets of the remaining ones. */
    readonly changeChunks: (
      workspace: WorkspaceScope,
      change: {
        readonly removed: ReadonlyArray<Chunk>
        readonly added: ReadonlyArray<Chunk>
        readonly kept: ReadonlyArray<Chunk>
      }
    ) => Effect.Effect<void>
    /** Returns the live passages with these labels, in no guaranteed order; unknown labels are omitted. */
    readonly passages: (
      workspace: WorkspaceScope,
      labels: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<Passage>>
    /** Returns the live passage with this id. */
    readonly passageById: (workspace: WorkspaceScope, id: ChunkId) => Effect.Effect<Option<Passage>>
    /** Returns the labels of all live chunks that pass the filter. */
    readonly labels: (
      workspace: WorkspaceScope,
      filter: DocumentFilter
    ) => Effect.Effect<ReadonlyArray<number>>
    /** Streams every live passage by document path and ordinal, an order independent of the history of changes. */
    readonly allPassages: (workspace: WorkspaceScope) => Stream<Passage>
    /** Counts live documents and chunks. */
    readonly counts: (workspace: WorkspaceScope) => Effect.Effect<{ documents: number; chunks: number }>
    /** Whether any live document is verified or certified. */
    readonly hasVerified: (workspace: WorkspaceScope) => Effect.Effect<boolean>
    /**
     * Returns documents (live and trashed) changed after `seq`, oldest change first: the feed that consumers follow.
     */
    readonly changesSince: (
      workspace: WorkspaceScope,
      seq: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Document>>
    /** Returns trashed documents, latest deletion first. */
    readonly trashed: (workspace: WorkspaceScope, page: PageRequest) => Effect.Effect<Page<Document>>
    /** Returns documents trashed before this time, oldest first. */
    readonly trashedBefore: (
      workspace: WorkspaceScope,
      before: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Document>>
    /**
     * Permanently removes documents trashed before this time, with their texts and versions; returns the removed ones.
     * Texts that another document uses stay.
     */
    readonly purge: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<DocumentId>,
      before: string
    ) => Effect.Effect<ReadonlyArray<Document>>
    /** Removes versions beyond the newest `keptMax` of each document, at most `limit`; returns how many. */
    readonly pruneVersions: (
      workspace: WorkspaceScope,
      keptMax: number,
      limit: number
    ) => Effect.Effect<number>
    /** Opens a file operation in the unit of work of its change; returns its id. */
    readonly openIntent: (workspace: WorkspaceScope, intent: NewIntent) => Effect.Effect<number>
    /**
     * Returns the id of the last opened file operation, done or not; 0 before the first. While it is unchanged, this
     * engine has not moved, trashed or written any file.
     */
    readonly lastIntent: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** Closes operations; closed ones stay closed. */
    readonly closeIntent: (workspace: WorkspaceScope, ...ids: ReadonlyArray<number>) => Effect.Effect<void>
    /** Returns the open operations that pass the filter, in the order in which they were opened. */
    readonly openIntents: (
      workspace: WorkspaceScope,
      filter?: IntentFilter
    ) => Effect.Effect<ReadonlyArray<FileIntent>>
    /** Queries for inspection and rebuild. */
    readonly inspection: DocumentInspection
    /** Proposed documents with their sources and states. */
    readonly proposals: ProposalStore
  }
>() {}

/** An index of chunks, updated in the unit of work that changes them so that both become visible together. */
export class ChunkIndex extends Context.Tag("kanon/ChunkIndex")<
  ChunkIndex,
  {
    /** Removes chunks by label (unknown ones are ignored), then adds the others. */
    readonly change: (
      workspace: WorkspaceScope,
      change: {
        readonly removed: ReadonlyArray<number>
        /** `title` is the document's title, which is indexed with the text. */
        readonly added: ReadonlyArray<{ readonly chunk: Chunk; readonly title: string }>
      }
    ) => Effect.Effect<void>
  }
>() {}

/** Size and change time of a file; equal stamps mean an untouched file. */
export interface FileStamp {
  readonly sizeBytes: number
  /** The later of modification and status change, so that a restored modification time does not hide a change. */
  readonly mtimeMs: number
}

/** A file found by a walk of the vault, not read yet. */
export interface VaultEntry extends FileStamp {
  readonly path: string
  /** Set when the name is accepted although it is not portable. */
  readonly warning?: { readonly code: string; readonly message: string }
}

/** A file that the walk rejects, with the reason. */
export interface VaultRefusal {
  readonly path: string
  readonly code: string
  readonly message: string
}

/** A temporary file that is written but possibly not synced yet. */
export interface StagedFile {
  readonly handle: string
  /** Waits until the file is synced. When that fails, the file is removed. */
  readonly synced: Effect.Effect<void, VaultUnavailable>
}

/** Brings rows in line with files that were changed from outside; the vault-sync room implements it. */
export class FileSync extends Context.Tag("kanon/FileSync")<
  FileSync,
  {
    /** Indexes the file at a path, or the files under it, in their present state. Skips a file that cannot be read. */
    readonly sync: (path: string) => Effect.Effect<void, VaultUnavailable, Caller>
  }
>() {}

/**
 * An adapter of a file store implements it (a disk, a bucket), so that documents stay files that people own. The
 * folder of Markdown files. Paths have passed the path rules. Never leaves the vault's root: a symbolic link that
 * points outside is rejected.
 */
export class Vault extends Context.Tag("kanon/Vault")<
  Vault,
  {
    /**
     * Returns every Markdown file, in path order. Names that start with a dot and, in a folder, what `.gitignore` and
     * `.kanonignore` exclude are skipped silently. `remarks` are about the vault as a whole.
     */
    readonly walk: (under: string) => Effect.Effect<
      {
        readonly entries: ReadonlyArray<VaultEntry>
        readonly refused: ReadonlyArray<VaultRefusal>
        readonly remarks?: ReadonlyArray<VaultRefusal>
      },
      VaultUnavailable
    >
    /** Whether an ignore file excludes the path, so that `walk` would not return a file there. Absent: never. */
    readonly excludes?: (path: string) => Effect.Effect<boolean, VaultUnavailable>
    /** Returns the bytes and the stamp; none when there is no such file. Rejects files over `limitBytes`. */
    readonly read: (
      path: string,
      limitBytes: number
    ) => Effect.Effect<Option<{ readonly bytes: Uint8Array; readonly stamp: FileStamp }>, VaultUnavailable>
    /**
     * Fails when no file could be written to, or removed from, this path: missing permission, a file where a folder is
     * needed, or a folder at the path. Changes nothing.
     */
    readonly checkWritable: (path: string) => Effect.Effect<void, VaultUnavailable>
    /**
     * Writes and syncs a temporary file on the vault's disk; returns a handle for this vault. Fails as `checkWritable`
     * does, so that a committed change can be published.
     */
    readonly stage: (path: string, bytes: Uint8Array) => Effect.Effect<string, VaultUnavailable>
    /**
     * Like `stage`, but does not wait for the disk. The caller must not commit anything that relies on the file before
     * it is `synced`.
     */
    readonly stageAhead: (path: string, bytes: Uint8Array) => Effect.Effect<StagedFile, VaultUnavailable>
    /**
     * Publishes a staged file at its path and syncs the folder. Repeating it after success does nothing; fails when
     * the staged file is gone and there is no file at the path.
     */
    readonly publish: (path: string, handle: string) => Effect.Effect<void, VaultUnavailable>
    /** Removes a staged file that will not be published. */
    readonly discard: (handle: string) => Effect.Effect<void>
    /** Moves a file; repeating it after success does nothing. Fails when it is at neither path. */
    readonly move: (from: string, to: string) => Effect.Effect<void, VaultUnavailable>
    /** Moves a file to the trash under the document's id; a missing file is not a failure. */
    readonly trash: (path: string, id: DocumentId) => Effect.Effect<void, VaultUnavailable>
    /** Returns the bytes of a trashed file; none when the trash does not hold it. */
    readonly readTrash: (id: DocumentId) => Effect.Effect<Option<Uint8Array>, VaultUnavailable>
    /** Removes a file from the trash; a missing one is not a failure. */
    readonly dropTrash: (id: DocumentId) => Effect.Effect<void, VaultUnavailable>
    /** Documents that have a file in the trash, in id order. */
    readonly trashed: Effect.Effect<ReadonlyArray<DocumentId>, VaultUnavailable>
    /** Temporary files whose process has ended. */
    readonly strays: Effect.Effect<ReadonlyArray<string>, VaultUnavailable>
    /**
     * Streams changed paths in small batches until it is closed. The first batch, which may be empty, means that
     * watching has started: a caller that scans the files after it misses no change.
     */
    readonly watch: Stream<ReadonlyArray<string>, VaultUnavailable>
  }
>() {}
