import { z } from "zod"
import { Verification, VersionOrigin } from "../../files/documents/index.js"
import { Principal, Readers } from "../../platform/access/index.js"
import { ChunkId, DocumentId, Timestamp } from "../../platform/kernel/index.js"
import { Count, Label, Position, Sha256, When } from "./record-fields.js"

const PassageRecord = z.strictObject({
  id: ChunkId,
  label: Label,
  headings: z.array(z.string()),
  /** UTF-16 offsets in the content. */
  start: Count,
  end: Count,
  page: Count.optional()
})

/** A document, live or in the trash. Front matter, size and tags are derived from the content. */
export const DocumentRecord = z.strictObject({
  kind: z.literal("document"),
  id: DocumentId,
  path: z.string().min(1),
  title: z.string(),
  contentHash: Sha256,
  version: Position,
  seq: Position,
  verification: Verification,
  verifiedBy: z.string().nullable(),
  verifiedAt: When,
  nextVerifyAt: When,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  deletedAt: When,
  /** Null if the text of a document in the trash is lost. */
  content: z.string().nullable(),
  /** The file of another format that the text was converted from. */
  file: z.strictObject({ mediaType: z.string(), hash: Sha256 }).optional(),
  /** That file in base64; left out where it is gone or was changed since. */
  original: z.base64().optional(),
  source: z
    .strictObject({
      url: z.string().nullable(),
      author: z.string().nullable(),
      createdAt: When,
      modifiedAt: When,
      title: z.string().nullable(),
      pageStarts: z.array(Count),
      textWarnings: z.array(z.string()).readonly().optional(),
      readBy: z.string().max(200).optional(),
      reader: z.string().optional()
    })
    .optional(),
  passages: z.array(PassageRecord)
})
export type DocumentRecord = z.infer<typeof DocumentRecord>

/** Who may read a document, beside the rules of folders in the settings; kept for documents that are gone, too. */
export const ReadersRecord = z.strictObject({
  kind: z.literal("readers"),
  documentId: DocumentId,
  own: z.strictObject({ read: Readers.nullable() }).nullable(),
  // A source may name more readers than people do.
  source: z.array(Principal).nullable(),
  /** Those that follow. */
  effective: z.array(Principal).nullable()
})

/** A former text of documents that an older version still refers to. */
export const TextRecord = z.strictObject({
  kind: z.literal("text"),
  contentHash: Sha256,
  content: z.string()
})

/** A version of a document's text. The present text is in the document record. */
export const VersionRecord = z.strictObject({
  kind: z.literal("version"),
  documentId: DocumentId,
  version: Position,
  contentHash: Sha256,
  sizeBytes: Count,
  origin: VersionOrigin,
  changedBy: z.string(),
  activity: z.string(),
  createdAt: Timestamp,
  /** Null for the present version, whose verification is in the document record. */
  verification: Verification.nullable()
})
