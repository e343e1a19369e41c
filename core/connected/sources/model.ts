import { z } from "zod"
import { ContentConnectorId, JobId, SyncRunId, Text, Timestamp } from "../../platform/kernel/index.js"
import { sourceKinds } from "./crawler.js"

/** Kind of content that a connector reads. */
export const ContentConnectorKind = z.enum(sourceKinds)

const statuses = ["queued", "running", "succeeded", "failed", "cancelled"] as const
/** State of a sync run. One with failed items has still succeeded. */
export const SyncStatus = z.enum(statuses)
export type SyncStatus = z.infer<typeof SyncStatus>

/** `incremental` reads what changed since the last run; `full` reads everything again. */
export const SyncMode = z.enum(["full", "incremental"])
export type SyncMode = z.infer<typeof SyncMode>

/** Rule for a document that was edited both here and at the source. */
export const OnConflict = z.enum(["keep", "source"])
export type OnConflict = z.infer<typeof OnConflict>

const Count = z.int().min(0)

/** An item that a sync could not bring over, and why; `externalId` is null for the whole run. */
export const SyncFailure = z.object({ externalId: z.string().nullable(), reason: z.string() })
export type SyncFailure = z.infer<typeof SyncFailure>

/** Parts missing from the document of a synced item, such as images or parts of a table. */
export const SyncWarning = z.object({ externalId: z.string(), messages: z.array(z.string()) })
export type SyncWarning = z.infer<typeof SyncWarning>

/** A change that a dry run found. */
export const PlannedChange = z.object({
  externalId: z.string(),
  op: z.enum(["create", "update", "move", "remove", "restore", "conflict"]),
  path: z.string().nullable()
})
export type PlannedChange = z.infer<typeof PlannedChange>

/** The latest run of a connector that was no dry run. */
export const LastSync = z.object({
  id: SyncRunId,
  mode: SyncMode,
  status: SyncStatus,
  startedAt: Timestamp.nullable(),
  finishedAt: Timestamp.nullable()
})
export type LastSync = z.infer<typeof LastSync>

/** A sync run as it is shown. */
export const SyncRun = LastSync.extend({
  dryRun: z.boolean(),
  seen: Count.describe("Items that the source named."),
  created: Count,
  updated: Count.describe("Documents with a new text, path or metadata; restored ones too."),
  unchanged: Count,
  removed: Count.describe("Documents moved to the trash because the source deleted them."),
  accessChanged: Count.describe("Documents whose readers the source named for the first time, or changed."),
  heldRemovals: Count.describe(
    "Documents that the source no longer names, kept because they are too many; `allowRemovals` removes them."
  ),
  failed: Count,
  failures: z.array(SyncFailure).describe("At most 200."),
  warned: Count.describe("Items that were brought over, but not whole."),
  warnings: z.array(SyncWarning).describe("At most 200."),
  percent: z
    .int()
    .min(0)
    .max(100)
    .nullable()
    .describe("Null where the source does not tell how much there is."),
  changes: z.array(PlannedChange).optional().describe("Only of dry runs; at most 200."),
  cursor: z.string().nullable().describe("Where the crawl continues; opaque."),
  queuedAt: Timestamp
})
export type SyncRun = z.infer<typeof SyncRun>

/** A configuration: `provider`, and what that one needs. */
export const ConnectorConfig = z.looseObject({ provider: z.string() })
export type ConnectorConfig = z.infer<typeof ConnectorConfig>

/** A content connector as it is shown: the credential never is. */
export const ContentConnector = z.object({
  id: ContentConnectorId,
  name: z.string(),
  kind: ContentConnectorKind,
  enabled: z.boolean(),
  hasCredential: z.boolean(),
  config: ConnectorConfig,
  schedule: z.string().nullable().describe("Cron expression with five fields, in UTC."),
  pathPrefix: z.string().describe("The folder of its documents."),
  lastSync: LastSync.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp
})
export type ContentConnector = z.infer<typeof ContentConnector>

/** A connector with its runs, newest first. */
export const ContentConnectorDetail = z.object({
  connector: ContentConnector,
  syncs: z.array(SyncRun)
})

/** A sync that was started, or one that already waits or runs. */
export const SyncStarted = z.object({
  syncId: SyncRunId,
  jobId: JobId,
  status: SyncStatus
})
export type SyncStarted = z.infer<typeof SyncStarted>

/** A file of an upload as it is given. */
export const UploadFile = z.object({
  path: Text.min(1).max(1024).describe("Relative path with the extension of the format."),
  content: z.string().nullable().describe("The text, or the bytes in base64; null deletes the file."),
  encoding: z.enum(["utf8", "base64"]).default("utf8"),
  url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .nullish()
    .describe("Where the original can be opened."),
  author: Text.max(500).nullish(),
  modifiedAt: z.iso.datetime({ offset: true }).nullish()
})
export type UploadFile = z.infer<typeof UploadFile>
