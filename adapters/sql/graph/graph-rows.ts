import type { NameClaim } from "../../../core/extraction/index.js"
import type { Relation } from "../../../core/graph/index.js"
import type { DocumentId, EntityId, JobId, RelationId } from "../../../core/kernel/index.js"
import { toNumber } from "../codec.js"

/** A row of `graph_document`, without the words. */
export interface ReadingRow {
  readonly document_id: DocumentId
  readonly path: string
  readonly title: string
  readonly aliases: string
  readonly name_key: string
  readonly name_type: string
  readonly entity_id: EntityId | null
  /** Compressed; see `factsFromBytes`. */
  readonly facts: unknown
  readonly targets: string | null
}

/** A row of `graph_claim`. */
export interface ClaimRow {
  readonly document_id: DocumentId
  readonly key: string
  readonly role: NameClaim["role"]
  readonly type: string
  readonly name: string
  readonly subject: string
  readonly prose_count: unknown
  readonly heading_count: unknown
}

export const claimFromRow = (row: ClaimRow): NameClaim => ({
  documentId: row.document_id,
  key: row.key,
  role: row.role,
  type: row.type,
  name: row.name,
  subject: row.subject,
  prose: toNumber(row.prose_count),
  headings: toNumber(row.heading_count)
})

/** A row of `mention`, with the run that its number refers to. */
export interface MentionRow {
  readonly document_id: DocumentId
  readonly label: unknown
  readonly start_offset: unknown
  readonly end_offset: unknown
  readonly entity_id: EntityId
  readonly key: string
  readonly confidence: unknown
  readonly run_id: JobId | null
}

/** Returns the fields of a mention without its document. */
export const mentionFields = (row: MentionRow) => ({
  label: toNumber(row.label),
  start: toNumber(row.start_offset),
  end: toNumber(row.end_offset),
  entityId: row.entity_id,
  key: row.key,
  confidence: toNumber(row.confidence),
  runId: row.run_id
})

/** A row of `relation`. */
export interface RelationRow {
  readonly id: RelationId
  readonly src_id: EntityId
  readonly type: string
  readonly dst_id: EntityId
  readonly origin: Relation["origin"]
  readonly note: string | null
  readonly src_head: EntityId | null
  readonly dst_head: EntityId | null
  readonly evidence_count: number
  readonly deleted_at: string | null
  readonly created_at: string
}

export const relationFromRow = (row: RelationRow): Relation => ({
  id: row.id,
  srcId: row.src_id,
  type: row.type,
  dstId: row.dst_id,
  origin: row.origin,
  note: row.note,
  srcHead: row.src_head,
  dstHead: row.dst_head,
  evidenceCount: toNumber(row.evidence_count),
  deletedAt: row.deleted_at,
  createdAt: row.created_at
})
