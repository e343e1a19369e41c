import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import {
  type EntityBrief,
  type EntityRecord,
  type StoredEntity,
  surfaceKey
} from "../../../../core/knowledge/entities/index.js"
import { type EntityId, nameNorm } from "../../../../core/platform/kernel/index.js"
import { fromJson, ifReadable } from "../../codec.js"
import { type Cell, columnsOf, flag, json, number, text } from "../../columns.js"

/** Name of the counter for the feed of entity changes. */
export const entityFeed = "entity.seq"

/** Returns the condition for live canonical entities. */
export const liveEntity = (sql: SqlClient.SqlClient): Fragment =>
  sql`${sql.literal("deleted_at is null and merged_into is null")}`

/** The columns of an entity that readers look at before they read all of it. */
export interface EntityRow {
  readonly id: EntityId
  readonly authority: EntityRecord["authority"]
  readonly superseded_by: EntityId | null
  readonly head_id: EntityId
}

export interface AliasRow {
  readonly entity_id: EntityId
  readonly alias: string
  readonly extracted: number
}

type Aliases = "aliases" | "extractedAliases"

/** Columns of the fields that a version records. A claim takes two columns; aliases are rows of their own. */
const columns = columnsOf<
  Omit<EntityRecord, Aliases | "claim"> & {
    readonly claimType: string | null
    readonly claimKey: string | null
  }
>({
  id: text(),
  name: text(),
  type: text(),
  nameNorm: text(),
  origin: text(),
  description: text(),
  authority: text(),
  lifecycle: text(),
  ownerId: text(),
  stewardIds: json(),
  version: number(),
  lastReviewedAt: text(),
  nextReviewAt: text(),
  supersededBy: text(),
  editorialNote: text(),
  personFields: json(),
  touched: flag(),
  claimType: text(),
  claimKey: text(),
  mergedIds: json(),
  mergedInto: text(),
  deletedAt: text(),
  retired: flag(),
  createdAt: text(),
  updatedAt: text()
})

/** Columns that the repository adds. */
const storedColumns = columnsOf<Pick<StoredEntity, "headId" | "pagerank" | "seq">>({
  headId: text(),
  pagerank: number(),
  seq: number()
})

const briefColumns = columnsOf<Omit<EntityBrief, Aliases>>({
  id: text(),
  headId: text(),
  name: text(),
  type: text(),
  authority: text(),
  lifecycle: text()
})

/** Returns the columns that a version covers. */
export const entityToRow = (entity: EntityRecord): Record<string, Cell> => ({
  ...columns.write({ ...entity, claimType: entity.claim?.type ?? null, claimKey: entity.claim?.key ?? null }),
  name_key: surfaceKey(entity.name)
})

/** Returns the columns that a change modifies. */
export const movedColumns = (before: EntityRecord, after: EntityRecord): Record<string, Cell> => {
  const old = entityToRow(before)
  return Object.fromEntries(
    Object.entries(entityToRow(after)).filter(([column, cell]) => old[column] !== cell)
  )
}

type Alias = Omit<AliasRow, "entity_id">

export const entityFromRow = (row: object, aliases: ReadonlyArray<Alias>): StoredEntity => {
  const { claimKey: key, claimType: type, ...record } = columns.read(row)
  const claim = type === null || key === null ? null : { type, key }
  return { ...record, claim, ...aliasesFrom(aliases), ...storedColumns.read(row) }
}

export const briefFromRow = (row: object, aliases: ReadonlyArray<Alias>): EntityBrief => ({
  ...briefColumns.read(row),
  ...aliasesFrom(aliases)
})

const aliasesFrom = (aliases: ReadonlyArray<Alias>) => ({
  aliases: aliases.filter(({ extracted }) => extracted === 0).map(({ alias }) => alias),
  extractedAliases: aliases.filter(({ extracted }) => extracted === 1).map(({ alias }) => alias)
})

/** Parses stewards for a list; empty if unreadable, so that damage does not break the list. */
export const stewardsIn = (text: string): Array<string> => ifReadable(fromJson<Array<string>>, text) ?? []

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
