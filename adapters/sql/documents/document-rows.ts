import type * as SqlClient from "@effect/sql/SqlClient"
import type {
  Chunk,
  Document,
  DocumentFilter,
  ListedDocument,
  Passage,
  SourceMetadata
} from "../../../core/documents/index.js"
import { nameNorm, type WorkspaceScope } from "../../../core/kernel/index.js"
import { type FrontMatter, pathKey } from "../../../core/markdown/index.js"
import { fromJson, toJson, toNumber } from "../codec.js"

/** A row of `document` in both databases. */
export interface DocumentRow {
  readonly id: Document["id"]
  readonly path: string
  readonly title: string
  readonly content_hash: string
  readonly version: unknown
  readonly size_bytes: unknown
  readonly mtime_ms: unknown
  readonly front_matter: string
  readonly media_type: string | null
  readonly file_hash: string | null
  readonly source: string | null
  readonly verification: Document["verification"]
  readonly verified_by: string | null
  readonly verified_at: string | null
  readonly next_verify_at: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly deleted_at: string | null
  readonly seq: unknown
}

export const documentFromRow = (row: DocumentRow): Document => ({
  id: row.id,
  path: row.path,
  title: row.title,
  contentHash: row.content_hash,
  version: toNumber(row.version),
  sizeBytes: toNumber(row.size_bytes),
  mtimeMs: toNumber(row.mtime_ms),
  frontMatter: fromJson<FrontMatter>(row.front_matter),
  ...(row.media_type === null || row.file_hash === null
    ? {}
    : { file: { mediaType: row.media_type, hash: row.file_hash } }),
  ...(row.source === null ? {} : { source: fromJson<SourceMetadata>(row.source) }),
  verification: row.verification,
  verifiedBy: row.verified_by,
  verifiedAt: row.verified_at,
  nextVerifyAt: row.next_verify_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  deletedAt: row.deleted_at,
  seq: toNumber(row.seq)
})

/** Parses a row for a list. Unlisted columns are not read, so damage in them does not break the list. */
export const listedFromRow = (row: DocumentRow): ListedDocument => {
  const { frontMatter: _, ...listed } = documentFromRow({ ...row, front_matter: "{}" })
  return listed
}

export const documentToRow = (workspace: WorkspaceScope, document: Document, seq: number) => ({
  workspace_id: workspace,
  id: document.id,
  path: document.path,
  path_key: pathKey(document.path),
  title: document.title,
  content_hash: document.contentHash,
  version: document.version,
  size_bytes: document.sizeBytes,
  mtime_ms: document.mtimeMs,
  front_matter: toJson(document.frontMatter),
  media_type: document.file?.mediaType ?? null,
  file_hash: document.file?.hash ?? null,
  source: document.source === undefined ? null : toJson(document.source),
  verification: document.verification,
  verified_by: document.verifiedBy,
  verified_at: document.verifiedAt,
  next_verify_at: document.nextVerifyAt,
  created_at: document.createdAt,
  updated_at: document.updatedAt,
  deleted_at: document.deletedAt,
  seq
})

/** Returns the tags under which a document is found. */
export const tagsOf = ({ tags }: Pick<FrontMatter, "tags">): ReadonlyArray<string> =>
  [...new Set(tags.map(nameNorm))].filter((tag) => tag !== "")

export interface ChunkRow {
  readonly label: unknown
  readonly id: Chunk["id"]
  readonly document_id: Chunk["documentId"]
  readonly ordinal: unknown
  readonly heading_path: string
  readonly text: string
  readonly start_offset: unknown
  readonly end_offset: unknown
  readonly page: unknown
}

export const chunkFromRow = (row: ChunkRow): Chunk => ({
  id: row.id,
  documentId: row.document_id,
  label: toNumber(row.label),
  ordinal: toNumber(row.ordinal),
  headingPath: fromJson<ReadonlyArray<string>>(row.heading_path),
  text: row.text,
  start: toNumber(row.start_offset),
  end: toNumber(row.end_offset),
  ...(row.page === null ? {} : { page: toNumber(row.page) })
})

export const chunkToRow = (workspace: WorkspaceScope, chunk: Chunk) => ({
  workspace_id: workspace,
  label: chunk.label,
  id: chunk.id,
  document_id: chunk.documentId,
  ordinal: chunk.ordinal,
  heading_path: toJson(chunk.headingPath),
  text: chunk.text,
  start_offset: chunk.start,
  end_offset: chunk.end,
  page: chunk.page ?? null
})

export interface PassageRow extends ChunkRow {
  readonly doc_title: string
  readonly doc_path: string
  readonly doc_verification: Document["verification"]
  readonly doc_updated_at: string
  readonly doc_source: string | null
}

export const passageFromRow = (row: PassageRow): Passage => {
  const source = row.doc_source === null ? null : fromJson<SourceMetadata>(row.doc_source)
  return {
    ...chunkFromRow(row),
    docTitle: row.doc_title,
    docPath: row.doc_path,
    docVerification: row.doc_verification,
    docUpdatedAt: source?.modifiedAt ?? row.doc_updated_at,
    ...(source?.url == null ? {} : { docSourceUrl: source.url })
  }
}

/** Returns the condition for live documents `d` of a workspace that match the filter. */
export const liveDocuments = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, filter: DocumentFilter) =>
  sql.and([
    sql`d.workspace_id = ${workspace}`,
    sql`d.deleted_at is null`,
    ...(filter.pathPrefix === undefined || filter.pathPrefix === ""
      ? []
      : [sql`d.path >= ${filter.pathPrefix} and d.path < ${`${filter.pathPrefix}\u{10ffff}`}`]),
    ...(filter.verification === undefined ? [] : [sql`d.verification = ${filter.verification}`]),
    ...(filter.tag === undefined ? [] : [hasTag(sql, nameNorm(filter.tag.replace(/^#/u, "")))])
  ])

/** A tag finds its nested ones, too: `area` also finds `area/part`. `0` is the character after the slash. */
const hasTag = (sql: SqlClient.SqlClient, tag: string) =>
  sql`exists (select 1 from document_tag t where t.workspace_id = d.workspace_id
      and (t.tag = ${tag} or (t.tag >= ${`${tag}/`} and t.tag < ${`${tag}0`})) and t.document_id = d.id)`
