import { z } from "zod"
import { DocumentAccess } from "../../platform/access/index.js"
import { AsOf, ChunkId, DocumentId, Timestamp } from "../../platform/kernel/index.js"
import type { FrontMatter } from "../markdown/index.js"

/**
 * Verification status of a text: `unverified`, `verified` or `certified` until the next review, or `deprecated`. A new
 * text is unverified again; a deprecation stays.
 */
export const Verification = z.enum(["unverified", "verified", "certified", "deprecated"])
export type Verification = z.infer<typeof Verification>

/**
 * Verification of a document: status, who set it and when its review is due. Stamps are null unless it is verified or
 * certified.
 */
export const DocumentVerification = z.object({
  docId: DocumentId,
  verification: Verification,
  verifiedBy: z.string().nullable(),
  verifiedAt: Timestamp.nullable(),
  nextVerifyAt: Timestamp.nullable().describe("When it is due to be verified again.")
})
export type DocumentVerification = z.infer<typeof DocumentVerification>

/**
 * Origin that a file of another format, or the source of a document, states; null for fields that it does not state.
 */
export const DocumentSource = z.object({
  url: z.string().nullable().describe("Where the original can be opened."),
  author: z.string().nullable(),
  createdAt: Timestamp.nullable(),
  modifiedAt: Timestamp.nullable()
})
export type DocumentSource = z.infer<typeof DocumentSource>

/** The media type of documents that are Markdown themselves. */
export const markdownMediaType = "text/markdown"

/** A document as lists and writes show it. */
export const DocumentSummary = z.object({
  id: DocumentId,
  path: z
    .string()
    .describe("Vault-relative, POSIX; ends in .md, or in the extension of a format that is converted."),
  title: z.string(),
  mediaType: z
    .string()
    .describe("`text/markdown`, or that of the file which was converted; such a document is read-only."),
  contentHash: z.string().describe("SHA-256 of the content's bytes in UTF-8, hexadecimal."),
  version: z.int().describe("Rises by one with each replacement of the content."),
  updatedAt: Timestamp,
  verification: Verification,
  nextVerifyAt: Timestamp.nullable().describe("When it is due to be verified again."),
  access: DocumentAccess.optional().describe("Who may read it; null for everybody in the workspace.")
})
export type DocumentSummary = z.infer<typeof DocumentSummary>

/** A document with the present text of its file, which may be newer than the indexed text. */
export const DocumentWithContent = DocumentSummary.extend({
  content: z.string().describe("Raw Markdown; empty when missing."),
  source: DocumentSource.nullable().describe("What is known of the original; null when nothing is."),
  missing: z.boolean().describe("True when the row exists but the file cannot be read."),
  verifiedBy: z.string().nullable().optional().describe("Who verified the present text; null for nobody."),
  asOf: AsOf.optional().describe("As it was given; absent for the present document."),
  html: z
    .string()
    .optional()
    .describe(
      "Only with render=html: the text as HTML that runs nothing; blocks have data-start and data-end, offsets in content."
    ),
  passages: z
    .array(z.object({ chunkId: ChunkId, start: z.int(), end: z.int() }))
    .optional()
    .describe("Only with render=html: the passages of the document, with their offsets in content.")
})
export type DocumentWithContent = z.infer<typeof DocumentWithContent>

/**
 * Live documents in path order; `total` counts all that pass the filter, `limit` and `offset` are the values that were
 * applied.
 */
export const DocumentPage = z.object({
  items: z.array(DocumentSummary),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
  folders: z
    .array(z.object({ path: z.string(), documents: z.int().describe("In it and below it.") }))
    .optional()
    .describe("Only with folder: the folders in it, in order of name.")
})
export type DocumentPage = z.infer<typeof DocumentPage>

/**
 * The written document: `path` as stored in the vault, `contentHash` the SHA-256 of the text's bytes in hexadecimal.
 */
export const DocumentSaveResult = z.object({
  docId: DocumentId,
  path: z.string(),
  contentHash: z.string(),
  title: z.string(),
  version: z.int(),
  warnings: z
    .array(z.string())
    .optional()
    .describe("Only for a file: what its text lacks, or may say wrongly.")
})
export type DocumentSaveResult = z.infer<typeof DocumentSaveResult>

/** Origin of a version's text: given by a caller, found in the vault, links rewritten by a move, or a connector. */
export const VersionOrigin = z.enum(["upload", "vault", "move", "connector"])
export type VersionOrigin = z.infer<typeof VersionOrigin>

/**
 * One version of a document's text, numbered from 1. `changedBy` is the author: a key's or member's id, `local` on the
 * command line, `system` for jobs.
 */
export const DocumentVersion = z.object({
  version: z.int(),
  contentHash: z.string().describe("SHA-256 of the text's bytes, hexadecimal."),
  size: z.int().describe("Bytes of the text."),
  origin: VersionOrigin.describe(
    "Origin of the text: `upload` by a caller, `vault` from a file, `move` for rewritten links, `connector` from a source."
  ),
  changedBy: z.string(),
  activity: z.string(),
  createdAt: Timestamp,
  verification: Verification.describe("The last verification of the document with this text."),
  content: z.string().optional().describe("Present only when one version was requested.")
})
export type DocumentVersion = z.infer<typeof DocumentVersion>

/** The versions of one document; `total` counts the stored ones. */
export const DocumentVersionPage = z.object({
  items: z.array(DocumentVersion).describe("Newest first."),
  total: z.int()
})
export type DocumentVersionPage = z.infer<typeof DocumentVersionPage>

/** The document at its new path, and the documents whose links were rewritten. */
export const DocumentMoveResult = DocumentSaveResult.extend({
  rewritten: z
    .array(DocumentId)
    .describe("Documents whose links were rewritten, in path order; the moved one too if its own were.")
})
export type DocumentMoveResult = z.infer<typeof DocumentMoveResult>

/** A stored version. */
export interface KeptVersion {
  readonly documentId: DocumentId
  readonly version: number
  readonly contentHash: string
  readonly sizeBytes: number
  readonly origin: VersionOrigin
  readonly changedBy: string
  readonly activity: string
  readonly createdAt: string
  /** The last verification of that version; null for the present version, whose verification is the document's. */
  readonly verification: Verification | null
}

/** A file in the vault whose text was made by a converter. */
export interface ConvertedFrom {
  readonly mediaType: string
  /** SHA-256 of the file's bytes, hexadecimal. */
  readonly hash: string
}

/** Metadata of an original: for readers, and for splitting the text into passages again. */
export interface SourceMetadata extends DocumentSource {
  readonly title: string | null
  /** UTF-16 offsets in the text at which pages 1, 2, 3, … begin; empty for originals without pages. */
  readonly pageStarts: ReadonlyArray<number>
  /** Warnings that the text may say something else than the original; absent where there are none. */
  readonly textWarnings?: ReadonlyArray<string> | undefined
  /** Which program read a scanned original, and how sure it was; absent where the original has text. */
  readonly readBy?: string | undefined
  /** The `readerVersion` that made the text of a file in the vault; absent for texts that are older than it. */
  readonly reader?: string | undefined
}

/** The hash of a document's file: that of its text, unless the text was converted from the file. */
export const fileHashOf = ({ contentHash, file }: Pick<Document, "contentHash" | "file">): string =>
  file?.hash ?? contentHash

/** A row of the catalog. The text is in the vault; the chunks repeat it piece by piece. */
export interface Document {
  readonly id: DocumentId
  readonly path: string
  readonly title: string
  readonly contentHash: string
  readonly version: number
  readonly sizeBytes: number
  /** Modification time of the file when it was read; with the size it identifies an untouched file cheaply. */
  readonly mtimeMs: number
  readonly frontMatter: FrontMatter
  /** The file of another format that the text was converted from; absent when the file is the text. */
  readonly file?: ConvertedFrom
  /** Metadata of the original; absent when there is none. */
  readonly source?: SourceMetadata
  readonly verification: Verification
  readonly verifiedBy: string | null
  readonly verifiedAt: string | null
  readonly nextVerifyAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** Set while the document is in the trash. */
  readonly deletedAt: string | null
  /** Position in the workspace's feed of document changes; increases with every change of the row. */
  readonly seq: number
}

/** A passage. `text` is exactly `source.slice(start, end)`; offsets count UTF-16 units of the whole file. */
export interface Chunk {
  readonly id: ChunkId
  readonly documentId: DocumentId
  /** Dense positive integer below 2^31, unique in the workspace, never reused; indexes use labels. */
  readonly label: number
  readonly ordinal: number
  readonly headingPath: ReadonlyArray<string>
  readonly text: string
  readonly start: number
  readonly end: number
  /** The page of the original file on which it begins, from 1; absent for documents without pages. */
  readonly page?: number
}

/** A chunk with the document fields that results and citations show. */
export interface Passage extends Chunk {
  readonly docTitle: string
  readonly docPath: string
  readonly docVerification: Verification
  /** When the original was changed last, where its source tells; else when the document was. */
  readonly docUpdatedAt: string
  /** Address at which the original can be opened; absent when there is none. */
  readonly docSourceUrl?: string
  /** Whether the text of the document may say something else than its original; absent where nothing is known of it. */
  readonly docIsUncertain?: true
}

/** Filter of searches and lists; absent fields do not filter. */
export const DocumentFilter = z.object({
  pathPrefix: z.string().optional().describe("Only documents whose path starts with this prefix."),
  tag: z
    .string()
    .optional()
    .describe(
      "Only documents with this tag or one nested in it (`area` finds `area/part`), compared as names are."
    ),
  verification: Verification.optional()
})
export type DocumentFilter = z.infer<typeof DocumentFilter>

/** Orders of a list of documents; by title, the time of the last change (newest first) or the next verification. */
const DocumentSort = z.enum(["path", "title", "updatedAt", "nextVerifyAt"])

/** Filter and order of a list of documents. */
export const DocumentListing = DocumentFilter.extend({
  q: z
    .string()
    .max(400)
    .optional()
    .describe("Only documents whose title or path holds this, without regard to case."),
  folder: z
    .string()
    .max(1024)
    .optional()
    .describe(
      "Only documents that lie directly in this folder; empty for the top. The page tells its folders, too."
    ),
  sort: DocumentSort.optional()
})
export type DocumentListing = z.infer<typeof DocumentListing>
