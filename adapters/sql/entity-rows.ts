import {
  type ChangeKind,
  type EntityRecord,
  type Revision,
  type StoredEntity,
  surfaceKey
} from "../../core/entities/index.js"
import { type EntityId, nameNorm } from "../../core/kernel/index.js"
import { fromJson, toJson, toNumber } from "./codec.js"

export interface EntityRow {
  readonly id: EntityId
  readonly seq: number
  readonly name: string
  readonly type: string
  readonly name_norm: string
  readonly origin: EntityRecord["origin"]
  readonly description: string | null
  readonly authority: EntityRecord["authority"]
  readonly lifecycle: EntityRecord["lifecycle"]
  readonly owner_id: string | null
  readonly steward_ids: string
  readonly version: number
  readonly last_reviewed_at: string | null
  readonly next_review_at: string | null
  readonly superseded_by: EntityId | null
  readonly editorial_note: string
  readonly person_fields: string
  readonly touched: number
  readonly claim_type: string | null
  readonly claim_key: string | null
  readonly merged_ids: string
  readonly merged_into: EntityId | null
  readonly head_id: EntityId
  readonly deleted_at: string | null
  readonly retired: number
  readonly pagerank: number | null
  readonly created_at: string
  readonly updated_at: string
}

export interface AliasRow {
  readonly entity_id: EntityId
  readonly alias: string
  readonly extracted: number
}

export interface RevisionRow {
  readonly version: number
  readonly change_kind: ChangeKind
  readonly snapshot: string
  readonly diff: string
  readonly activity: string
  readonly changed_by: string
  readonly note: string | null
  readonly created_at: string
}

/** The columns that a version covers. */
export const entityToRow = (entity: EntityRecord) => ({
  name: entity.name,
  type: entity.type,
  name_norm: entity.nameNorm,
  name_key: surfaceKey(entity.name),
  origin: entity.origin,
  description: entity.description,
  authority: entity.authority,
  lifecycle: entity.lifecycle,
  owner_id: entity.ownerId,
  steward_ids: toJson(entity.stewardIds),
  version: entity.version,
  last_reviewed_at: entity.lastReviewedAt,
  next_review_at: entity.nextReviewAt,
  superseded_by: entity.supersededBy,
  editorial_note: entity.editorialNote,
  person_fields: toJson(entity.personFields),
  touched: entity.touched ? 1 : 0,
  claim_type: entity.claim?.type ?? null,
  claim_key: entity.claim?.key ?? null,
  merged_ids: toJson(entity.mergedIds),
  merged_into: entity.mergedInto,
  deleted_at: entity.deletedAt,
  retired: entity.retired ? 1 : 0,
  created_at: entity.createdAt,
  updated_at: entity.updatedAt
})

export const entityFromRow = (row: EntityRow, aliases: ReadonlyArray<AliasRow>): StoredEntity => ({
  id: row.id,
  name: row.name,
  type: row.type,
  nameNorm: row.name_norm,
  origin: row.origin,
  description: row.description,
  aliases: aliases.filter(({ extracted }) => extracted === 0).map(({ alias }) => alias),
  extractedAliases: aliases.filter(({ extracted }) => extracted === 1).map(({ alias }) => alias),
  authority: row.authority,
  lifecycle: row.lifecycle,
  ownerId: row.owner_id,
  stewardIds: fromJson(row.steward_ids),
  version: toNumber(row.version),
  lastReviewedAt: row.last_reviewed_at,
  nextReviewAt: row.next_review_at,
  supersededBy: row.superseded_by,
  editorialNote: row.editorial_note,
  personFields: fromJson(row.person_fields),
  touched: row.touched === 1,
  claim:
    row.claim_type === null || row.claim_key === null ? null : { type: row.claim_type, key: row.claim_key },
  mergedIds: fromJson(row.merged_ids),
  mergedInto: row.merged_into,
  deletedAt: row.deleted_at,
  retired: row.retired === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  headId: row.head_id,
  pagerank: row.pagerank,
  seq: toNumber(row.seq)
})

export const aliasRows = (entity: EntityRecord) =>
  [
    ...entity.aliases.map((alias) => ({ alias, extracted: 0 })),
    ...entity.extractedAliases.map((alias) => ({ alias, extracted: 1 }))
  ].map(({ alias, extracted }) => ({
    entity_id: entity.id,
    alias_norm: nameNorm(alias),
    alias,
    alias_key: surfaceKey(alias),
    extracted
  }))

export const revisionFromRow = (row: RevisionRow): Revision => ({
  version: toNumber(row.version),
  changeKind: row.change_kind,
  snapshot: fromJson(row.snapshot),
  diff: fromJson(row.diff),
  activity: row.activity,
  changedBy: row.changed_by,
  note: row.note,
  createdAt: row.created_at
})
