import { z } from "zod"
import { type ChunkId, DocumentId, Timestamp } from "../kernel/index.js"

export const Verification = z.enum(["unverified", "verified", "certified", "deprecated"])
export type Verification = z.infer<typeof Verification>

/** A document as lists and writes show it. */
export const DocumentSummary = z.object({
  id: DocumentId,
  path: z.string().describe("Vault-relative, POSIX, ends in .md."),
  title: z.string(),
  contentHash: z.string().describe("SHA-256 of the file's bytes, hexadecimal."),
  version: z.int().describe("Rises by one with each replacement of the content."),
  updatedAt: Timestamp
})
export type DocumentSummary = z.infer<typeof DocumentSummary>

export const DocumentWithContent = DocumentSummary.extend({
  content: z.string().describe("Raw Markdown; empty when missing."),
  missing: z.boolean().describe("True when the row exists but the file cannot be read.")
})
export type DocumentWithContent = z.infer<typeof DocumentWithContent>

export const DocumentPage = z.object({
  items: z.array(DocumentSummary),
  total: z.int(),
  limit: z.int(),
  offset: z.int()
})
export type DocumentPage = z.infer<typeof DocumentPage>

export const DocumentSaveResult = z.object({
  docId: DocumentId,
  path: z.string(),
  contentHash: z.string(),
  title: z.string()
})
export type DocumentSaveResult = z.infer<typeof DocumentSaveResult>

/** What the front matter of a document says, as far as Kanon reads it. */
export interface FrontMatter {
  readonly title: string | null
  readonly aliases: ReadonlyArray<string>
  readonly tags: ReadonlyArray<string>
  readonly type: string | null
  /** Every other key, as plain JSON. */
  readonly other: Readonly<Record<string, unknown>>
}

/** A row of the catalog. The text is in the vault; the chunks repeat it piece by piece. */
export interface Document {
  readonly id: DocumentId
  readonly path: string
  readonly title: string
  readonly contentHash: string
  readonly version: number
  readonly sizeBytes: number
  /** Modification time of the file when it was read; with the size it tells an untouched file cheaply. */
  readonly mtimeMs: number
  readonly frontMatter: FrontMatter
  readonly verification: Verification
  readonly verifiedBy: string | null
  readonly verifiedAt: string | null
  readonly nextVerifyAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** Set while the document lies in the trash. */
  readonly deletedAt: string | null
  /** Position in the workspace's feed of document changes; rises with every change of the row. */
  readonly seq: number
}

/** A passage. `text` is exactly `source.slice(start, end)`; offsets count UTF-16 units of the whole file. */
export interface Chunk {
  readonly id: ChunkId
  readonly documentId: DocumentId
  /** Dense positive integer below 2^31, unique in the workspace, never reused; indexes speak in labels. */
  readonly label: number
  readonly ordinal: number
  readonly headingPath: ReadonlyArray<string>
  readonly text: string
  readonly start: number
  readonly end: number
}

/** A chunk with what a result or a citation shows of its document. */
export interface Passage extends Chunk {
  readonly docTitle: string
  readonly docPath: string
  readonly docVerification: Verification
  readonly docUpdatedAt: string
}

/** Narrows searches and lists; absent fields narrow nothing. */
export const DocumentFilter = z.object({
  pathPrefix: z.string().optional().describe("Only documents whose path starts so."),
  tag: z.string().optional().describe("Only documents with this tag, compared as names are."),
  verification: Verification.optional()
})
export type DocumentFilter = z.infer<typeof DocumentFilter>
