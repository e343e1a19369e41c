import type * as SqlClient from "@effect/sql/SqlClient"
import type {
  Chunk,
  Document,
  DocumentFilter,
  ListedDocument,
  Passage,
  SourceMetadata
} from "../../../../core/files/documents/index.js"
import { type FrontMatter, pathKey } from "../../../../core/files/markdown/index.js"
import { nameNorm, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { fromJson, toJson, toNumber } from "../../codec.js"
import { type Cell, columnsOf, json, number, orNull, text } from "../../columns.js"

/** A row of `document`, as far as it is read apart from `documentFromRow`. */
export interface DocumentRow {
  readonly id: Document["id"]
}

interface FileCells {
  readonly mediaType: string | null
  readonly fileHash: string | null
  readonly source: SourceMetadata | null
}

/** The file and the source of a document may be absent; see `documentFromRow`. */
const columns = columnsOf<Omit<Document, "file" | "source"> & FileCells>({
  id: text(),
  path: text(),
  title: text(),
  contentHash: text(),
  version: number(),
  sizeBytes: number(),
  mtimeMs: number(),
  frontMatter: json(),
  mediaType: text(),
  fileHash: text(),
  source: orNull(json()),
  verification: text(),
  verifiedBy: text(),
  verifiedAt: text(),
  nextVerifyAt: text(),
  createdAt: text(),
  updatedAt: text(),
  deletedAt: text(),
  seq: number()
})

export const documentFromRow = (row: object): Document => {
  const { fileHash: hash, mediaType, source, ...document } = columns.read(row)
  return {
    ...document,
    ...(mediaType === null || hash === null ? {} : { file: { mediaType, hash } }),
    ...(source === null ? {} : { source })
  }
}

/** Parses a row for a list. Unlisted columns are not read, so damage in them does not break the list. */
export const listedFromRow = (row: object): ListedDocument => {
  const { frontMatter: _, ...listed } = documentFromRow({ ...row, front_matter: "{}" })
  return listed
}

export const documentToRow = (
  workspace: WorkspaceScope,
  document: Document,
  seq: number
): Record<string, Cell> => ({
  workspace_id: workspace,
  ...columns.write({
    ...document,
    mediaType: document.file?.mediaType ?? null,
    fileHash: document.file?.hash ?? null,
    source: document.source ?? null,
    seq
  }),
  path_key: pathKey(document.path)
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
    ...(source?.url == null ? {} : { docSourceUrl: source.url }),
    ...(source?.textWarnings === undefined ? {} : { docIsUncertain: true as const })
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
    ...(filter.tag === undefined ? [] : [hasTag(sql, workspace, nameNorm(filter.tag.replace(/^#/u, "")))])
  ])

/** A tag finds its nested ones, too: `area` also finds `area/part`. `0` is the character after the slash. */
const hasTag = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, tag: string) =>
  sql`exists (select 1 from document_tag t where t.workspace_id = ${workspace}
      and (t.tag = ${tag} or (t.tag >= ${`${tag}/`} and t.tag < ${`${tag}0`})) and t.document_id = d.id)`
