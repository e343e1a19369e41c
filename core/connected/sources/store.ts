import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type {
  ContentConnectorId,
  DocumentId,
  JobId,
  SecretId,
  SyncRunId,
  WorkspaceScope
} from "../../platform/kernel/index.js"
import type { Checkpoint, UploadedFile } from "./crawler.js"
import type {
  ContentConnector,
  OnConflict,
  PlannedChange,
  SyncFailure,
  SyncMode,
  SyncStatus
} from "./model.js"

/** A connector as it is stored. */
export interface StoredContentConnector extends Omit<ContentConnector, "hasCredential" | "lastSync"> {
  readonly secret: SecretId | null
  /** Start of the next incremental crawl; null for the beginning. */
  readonly checkpoint: Checkpoint | null
  /** When the schedule starts the next sync; null without one. */
  readonly nextSyncAt: string | null
}

/** Connectors. Names are unique among those that are not deleted, without regard to case. */
export interface ContentConnectorStore {
  /** Lists connectors that are not deleted, by name. */
  readonly list: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<StoredContentConnector>>
  /** Finds a connector that is not deleted. */
  readonly find: (
    workspace: WorkspaceScope,
    id: ContentConnectorId
  ) => Effect.Effect<Option<StoredContentConnector>>
  /** Returns the id of the connector with this name. */
  readonly named: (workspace: WorkspaceScope, name: string) => Effect.Effect<Option<ContentConnectorId>>
  /** Adds a connector in the caller's unit of work; false if the name is taken. */
  readonly insert: (workspace: WorkspaceScope, connector: StoredContentConnector) => Effect.Effect<boolean>
  /**
   * Replaces a connector except for its checkpoint and next sync, if it was last changed at `before`; `changed` when
   * another writer was first. Also locks the row until the end of the unit of work.
   */
  readonly replace: (
    workspace: WorkspaceScope,
    connector: StoredContentConnector,
    before: string
  ) => Effect.Effect<"done" | "name_taken" | "changed">
  /** Sets checkpoint or next sync; a missing field stays. */
  readonly setProgress: (
    workspace: WorkspaceScope,
    id: ContentConnectorId,
    progress: { readonly checkpoint?: Checkpoint | null; readonly nextSyncAt?: string | null }
  ) => Effect.Effect<void>
  /** Locks the row of a connector that is not deleted until the end of the unit of work; false if there is none. */
  readonly lock: (workspace: WorkspaceScope, id: ContentConnectorId) => Effect.Effect<boolean>
  /** Deletes a connector; its row stays, because documents name it. `trashes` says that its documents go, too. */
  readonly remove: (
    workspace: WorkspaceScope,
    id: ContentConnectorId,
    at: string,
    trashes: boolean
  ) => Effect.Effect<boolean>
  /** Returns deleted connectors whose documents are still to be moved to the trash. */
  readonly trashing: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<ContentConnectorId>>
  /** Notes that the documents of a deleted connector are in the trash. */
  readonly trashed: (workspace: WorkspaceScope, id: ContentConnectorId) => Effect.Effect<void>
}

/** Part of a run in which it continues after a crash. */
export type SyncPhase = "retry" | "changes" | "removals"

/**
 * What a run works on, stored before the work starts. A run that is taken over with items in `now` was broken off
 * during one of them, because a worker that stops in order empties the list.
 */
export interface UnderWay {
  /** Ids of items, or `outsideItems`. */
  readonly now: ReadonlyArray<string>
  /** How often a worker ended during each item; items that were settled since are left out. */
  readonly deaths: Readonly<Record<string, number>>
}

/** A sync run as it is stored. */
export interface StoredSyncRun {
  readonly id: SyncRunId
  readonly connectorId: ContentConnectorId
  readonly jobId: JobId
  readonly mode: SyncMode
  readonly status: SyncStatus
  readonly dryRun: boolean
  readonly allowRemovals: boolean
  readonly onConflict: OnConflict | null
  /** Whether files were given. */
  readonly isUpload: boolean
  readonly phase: SyncPhase
  /** Position at which the list of changes continues; null for the start of the run. */
  readonly checkpoint: Checkpoint | null
  /** Whether the crawl started at the beginning, so that it names all items. */
  readonly isComplete: boolean
  /** Whether parts of the source could not be listed. */
  readonly hasGaps: boolean
  readonly seen: number
  readonly unchanged: number
  readonly total: number | null
  readonly created: number
  readonly updated: number
  readonly removed: number
  readonly accessChanged: number
  readonly heldRemovals: number
  readonly changes: ReadonlyArray<PlannedChange>
  readonly underWay: UnderWay
  readonly queuedAt: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
}

/** Parts missing from a synced item. */
export interface ItemWarnings {
  readonly externalId: string
  /** For people; without line breaks. */
  readonly messages: ReadonlyArray<string>
}

/** A run with its failures and warnings. */
export interface ReportedSyncRun extends StoredSyncRun {
  readonly failed: number
  readonly failures: ReadonlyArray<SyncFailure>
  readonly warned: number
  readonly warnings: ReadonlyArray<ItemWarnings>
}

/** Fields of a run that change while it runs. */
export type SyncRunChange = Partial<
  Pick<
    StoredSyncRun,
    | "status"
    | "phase"
    | "checkpoint"
    | "isComplete"
    | "hasGaps"
    | "seen"
    | "unchanged"
    | "total"
    | "heldRemovals"
    | "changes"
    | "underWay"
    | "startedAt"
    | "finishedAt"
  >
>

/** Sync runs, their failures and warnings, and the files that they were given. */
export interface SyncRunStore {
  /** Adds a run with its files, in the caller's unit of work. */
  readonly insert: (
    workspace: WorkspaceScope,
    run: StoredSyncRun,
    files: ReadonlyArray<UploadedFile>
  ) => Effect.Effect<void>
  readonly find: (workspace: WorkspaceScope, id: SyncRunId) => Effect.Effect<Option<StoredSyncRun>>
  /** Lists runs of a connector, newest first, each with at most `findingsMax` failures and as many warnings. */
  readonly list: (
    workspace: WorkspaceScope,
    connector: ContentConnectorId,
    limit: number,
    findingsMax: number
  ) => Effect.Effect<ReadonlyArray<ReportedSyncRun>>
  /** Returns the queued and running runs, oldest first; of one connector, or of all. */
  readonly active: (
    workspace: WorkspaceScope,
    connector?: ContentConnectorId
  ) => Effect.Effect<ReadonlyArray<StoredSyncRun>>
  /** Returns the newest run of each connector that was no dry run. */
  readonly latest: (
    workspace: WorkspaceScope
  ) => Effect.Effect<ReadonlyMap<ContentConnectorId, StoredSyncRun>>
  /** Writes fields of a run that has one of these statuses; false, and nothing done, when it has another one. */
  readonly update: (
    workspace: WorkspaceScope,
    id: SyncRunId,
    change: SyncRunChange,
    from: ReadonlyArray<SyncStatus>
  ) => Effect.Effect<boolean>
  /** Adds to the counts of a running run and locks it; false when it does not run any more. */
  readonly count: (
    workspace: WorkspaceScope,
    id: SyncRunId,
    added: Partial<Pick<StoredSyncRun, "created" | "updated" | "removed" | "accessChanged">>
  ) => Effect.Effect<boolean>
  /** Records failures, replacing earlier ones of the same items in the same run. */
  readonly addFailures: (
    workspace: WorkspaceScope,
    id: SyncRunId,
    failures: ReadonlyArray<SyncFailure>
  ) => Effect.Effect<void>
  /** Records that an item succeeded: removes its earlier failure, and replaces its warnings by these. */
  readonly settle: (workspace: WorkspaceScope, id: SyncRunId, warnings: ItemWarnings) => Effect.Effect<void>
  /** Returns the files of a run in the order in which they were given. */
  readonly files: (workspace: WorkspaceScope, id: SyncRunId) => Effect.Effect<ReadonlyArray<UploadedFile>>
  readonly dropFiles: (workspace: WorkspaceScope, id: SyncRunId) => Effect.Effect<void>
  /** Removes runs beyond the newest `kept` of a connector that have ended. */
  readonly prune: (
    workspace: WorkspaceScope,
    connector: ContentConnectorId,
    kept: number
  ) => Effect.Effect<void>
}

/** Why an item could not be brought over. */
export type ItemFailureCode = "conflict" | "path_taken" | "unreadable" | "permanent"

/** Stored state of an item of a source. */
export interface ExternalItem {
  readonly connectorId: ContentConnectorId
  readonly externalId: string
  /** The item that it is attached to; null for items of the source itself. */
  readonly parentId: string | null
  /** Path of its document as the source asks for it, with the prefix; null before the first fetch. */
  readonly path: string | null
  /** The version that was fetched last. */
  readonly version: string | null
  /** SHA-256 of the text that the source gave last and that was settled; null before. */
  readonly contentHash: string | null
  readonly documentId: DocumentId | null
  readonly url: string | null
  /** Whether its document was moved to the trash because the source deleted the item. */
  readonly isRemoved: boolean
  /** Whether the source has said, or seems to say, that it is deleted; to be confirmed. */
  readonly isMissing: boolean
  readonly failure: { readonly code: ItemFailureCode; readonly reason: string } | null
  /** Parts missing from the text that was last fetched, described for people; without line breaks. */
  readonly warnings: ReadonlyArray<string>
  /** The run that settled it last; a run that is continued does not fetch it again. */
  readonly runId: SyncRunId | null
  readonly syncedAt: string
}

/** The state of the items of each connector. */
export interface ExternalItemStore {
  /** Finds items by their ids, in no guaranteed order; unknown ones are left out. */
  readonly find: (
    workspace: WorkspaceScope,
    connector: ContentConnectorId,
    externalIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<ExternalItem>>
  /** Inserts or replaces an item. */
  readonly put: (workspace: WorkspaceScope, item: ExternalItem) => Effect.Effect<void>
  readonly remove: (
    workspace: WorkspaceScope,
    connector: ContentConnectorId,
    externalId: string
  ) => Effect.Effect<void>
  /** Notes that a run settled items that it left as they were. */
  readonly markSettled: (
    workspace: WorkspaceScope,
    connector: ContentConnectorId,
    externalIds: ReadonlyArray<string>,
    run: SyncRunId
  ) => Effect.Effect<void>
  /** Marks items as missing; unknown and removed ones are left alone. */
  readonly markMissing: (
    workspace: WorkspaceScope,
    connector: ContentConnectorId,
    externalIds: ReadonlyArray<string>
  ) => Effect.Effect<void>
  /** Removes all such marks. */
  readonly clearMissing: (workspace: WorkspaceScope, connector: ContentConnectorId) => Effect.Effect<void>
  /** Returns the items that are attached to an item. */
  readonly attached: (
    workspace: WorkspaceScope,
    connector: ContentConnectorId,
    parentId: string
  ) => Effect.Effect<ReadonlyArray<ExternalItem>>
  /** Returns items whose last attempt failed, attached ones too. */
  readonly failing: (
    workspace: WorkspaceScope,
    connector: ContentConnectorId
  ) => Effect.Effect<ReadonlyArray<ExternalItem>>
  /** Returns ids of items that are not removed nor attached, after an id in the order of the database. */
  readonly ids: (
    workspace: WorkspaceScope,
    connector: ContentConnectorId,
    after: string | null,
    limit: number
  ) => Effect.Effect<ReadonlyArray<string>>
  /** Returns the ids of items marked as missing. */
  readonly missing: (
    workspace: WorkspaceScope,
    connector: ContentConnectorId
  ) => Effect.Effect<ReadonlyArray<string>>
  /** Counts items that have a document and are neither removed nor attached. */
  readonly count: (workspace: WorkspaceScope, connector: ContentConnectorId) => Effect.Effect<number>
  /** Returns the item of a document. */
  readonly ofDocument: (
    workspace: WorkspaceScope,
    document: DocumentId
  ) => Effect.Effect<Option<ExternalItem>>
  /** Returns items that have a document, after an id in the order of the database. */
  readonly withDocument: (
    workspace: WorkspaceScope,
    connector: ContentConnectorId,
    after: string | null,
    limit: number
  ) => Effect.Effect<ReadonlyArray<ExternalItem>>
}

/** An adapter of a database implements it to keep content connectors, their sync runs and the state of each item. */
export class SourceStore extends Context.Tag("kanon/SourceStore")<
  SourceStore,
  {
    /** Connectors to sources. */
    readonly connectors: ContentConnectorStore
    /** Sync runs of connectors. */
    readonly runs: SyncRunStore
    /** The state of each item of a source. */
    readonly items: ExternalItemStore
  }
>() {}
