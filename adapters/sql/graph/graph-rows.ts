import type { NameClaim } from "../../../core/extraction/index.js"
import type { DocumentId, EntityId, JobId } from "../../../core/kernel/index.js"
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
