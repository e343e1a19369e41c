import {
  type EntityBrief,
  type EntityRecord,
  type StoredEntity,
  surfaceKey
} from "../../../core/entities/index.js"
import { type EntityId, nameNorm } from "../../../core/kernel/index.js"
import { fromJson, ifReadable, toJson, toNumber } from "../codec.js"

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

type Cell = string | number | null

/** Conversions of entity fields to columns; a column without a field of its name derives from others. */
const columns: ReadonlyArray<
  readonly [column: string, field: keyof EntityRecord, cell: (entity: EntityRecord) => Cell]
> = [
  ["name", "name", ({ name }) => name],
  ["type", "type", ({ type }) => type],
  ["name_norm", "nameNorm", ({ nameNorm }) => nameNorm],
  ["name_key", "name", ({ name }) => surfaceKey(name)],
  ["origin", "origin", ({ origin }) => origin],
  ["description", "description", ({ description }) => description],
  ["authority", "authority", ({ authority }) => authority],
  ["lifecycle", "lifecycle", ({ lifecycle }) => lifecycle],
  ["owner_id", "ownerId", ({ ownerId }) => ownerId],
  ["steward_ids", "stewardIds", ({ stewardIds }) => toJson(stewardIds)],
  ["version", "version", ({ version }) => version],
  ["last_reviewed_at", "lastReviewedAt", ({ lastReviewedAt }) => lastReviewedAt],
  ["next_review_at", "nextReviewAt", ({ nextReviewAt }) => nextReviewAt],
  ["superseded_by", "supersededBy", ({ supersededBy }) => supersededBy],
  ["editorial_note", "editorialNote", ({ editorialNote }) => editorialNote],
  ["person_fields", "personFields", ({ personFields }) => toJson(personFields)],
  ["touched", "touched", ({ touched }) => (touched ? 1 : 0)],
  ["claim_type", "claim", ({ claim }) => claim?.type ?? null],
  ["claim_key", "claim", ({ claim }) => claim?.key ?? null],
  ["merged_ids", "mergedIds", ({ mergedIds }) => toJson(mergedIds)],
  ["merged_into", "mergedInto", ({ mergedInto }) => mergedInto],
  ["deleted_at", "deletedAt", ({ deletedAt }) => deletedAt],
  ["retired", "retired", ({ retired }) => (retired ? 1 : 0)],
  ["created_at", "createdAt", ({ createdAt }) => createdAt],
  ["updated_at", "updatedAt", ({ updatedAt }) => updatedAt]
]

/** Returns the columns that a version covers. */
export const entityToRow = (entity: EntityRecord): Readonly<Record<string, Cell>> =>
  Object.fromEntries(columns.map(([column, , cell]) => [column, cell(entity)]))

/** Returns the columns that a change modifies. */
export const movedColumns = (before: EntityRecord, after: EntityRecord): Readonly<Record<string, Cell>> => {
  const moved: Record<string, Cell> = {}
  for (const [column, field, cell] of columns) {
    if (before[field] === after[field]) continue
    const value = cell(after)
    if (cell(before) !== value) moved[column] = value
  }
  return moved
}

type Alias = Omit<AliasRow, "entity_id">

export const entityFromRow = (row: EntityRow, aliases: ReadonlyArray<Alias>): StoredEntity => ({
  id: row.id,
  name: row.name,
  type: row.type,
  nameNorm: row.name_norm,
  origin: row.origin,
  description: row.description,
  ...aliasesFrom(aliases),
  authority: row.authority,
  lifecycle: row.lifecycle,
  ownerId: row.owner_id,
  stewardIds: listIn(row.steward_ids),
  version: toNumber(row.version),
  lastReviewedAt: row.last_reviewed_at,
  nextReviewAt: row.next_review_at,
  supersededBy: row.superseded_by,
  editorialNote: row.editorial_note,
  personFields: listIn(row.person_fields),
  touched: row.touched === 1,
  claim:
    row.claim_type === null || row.claim_key === null ? null : { type: row.claim_type, key: row.claim_key },
  mergedIds: listIn(row.merged_ids),
  mergedInto: row.merged_into,
  deletedAt: row.deleted_at,
  retired: row.retired === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  headId: row.head_id,
  pagerank: row.pagerank,
  seq: toNumber(row.seq)
})

export type BriefRow = Pick<EntityRow, "id" | "head_id" | "name" | "type" | "authority" | "lifecycle">

export const briefFromRow = (row: BriefRow, aliases: ReadonlyArray<Alias>): EntityBrief => ({
  id: row.id,
  headId: row.head_id,
  name: row.name,
  type: row.type,
  ...aliasesFrom(aliases),
  authority: row.authority,
  lifecycle: row.lifecycle
})

const aliasesFrom = (aliases: ReadonlyArray<Alias>) => ({
  aliases: aliases.filter(({ extracted }) => extracted === 0).map(({ alias }) => alias),
  extractedAliases: aliases.filter(({ extracted }) => extracted === 1).map(({ alias }) => alias)
})

/** Parses a JSON list; fast for empty lists, which are most of the three per entity. */
const listIn = <Value>(text: string): ReadonlyArray<Value> => (text === "[]" ? [] : fromJson(text))

/** Parses stewards for a list; empty if unreadable, so that damage does not break the list. */
export const stewardsIn = (text: string): Array<string> => [...(ifReadable(listIn<string>, text) ?? [])]

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
