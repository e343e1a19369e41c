import { type CallerShape, nameNorm } from "../../platform/kernel/index.js"
import { aliasList } from "./machine.js"
import type { CurationMeta, Entity, EntityRecord, SourceRef } from "./model.js"

/** The name fields of an entity. */
type Named = Pick<EntityRecord, "name" | "aliases" | "extractedAliases">

/** Returns all aliases of an entity, both set by people and extracted. */
export const allAliases = (entity: Named): ReadonlyArray<string> =>
  aliasList([...entity.aliases, ...entity.extractedAliases], entity.name)

/** Returns an entity in wire form; `members` are the entities merged into it. */
export const toEntity = (head: EntityRecord, members: ReadonlyArray<EntityRecord> = []): Entity => ({
  id: head.id,
  name: head.name,
  type: head.type,
  nameNorm: head.nameNorm,
  origin: head.origin,
  description: head.description,
  aliases: [...aliasesWith(head, members)]
})

/** Returns all aliases of a head, including the names of the entities merged into it. */
export const aliasesWith = (head: Named, members: ReadonlyArray<Named>): ReadonlyArray<string> =>
  members.length === 0
    ? allAliases(head)
    : aliasList(
        [...allAliases(head), ...members.flatMap((member) => [member.name, ...allAliases(member)])],
        head.name
      )

/** Returns whether the caller may read editorial notes: only callers with a write scope. */
export const readsNotes = ({ scopes }: Pick<CallerShape, "scopes">): boolean =>
  scopes === undefined || scopes.includes("kb:write")

/** Returns the curation metadata of an entity; the note only for callers who may write. */
export const toCuration = (
  entity: EntityRecord,
  sourceRefs: ReadonlyArray<SourceRef>,
  caller: Pick<CallerShape, "scopes">
): CurationMeta => ({
  authority: entity.authority,
  lifecycleStatus: entity.lifecycle,
  ownerId: entity.ownerId,
  stewardIds: [...entity.stewardIds],
  version: entity.version,
  lastReviewedAt: entity.lastReviewedAt,
  nextReviewAt: entity.nextReviewAt,
  supersededBy: entity.supersededBy,
  sourceRefs: [...sourceRefs],
  editorialNote: readsNotes(caller) ? entity.editorialNote : ""
})

/** Returns whether an entity is live and not merged into another. */
export const isCanonical = (entity: EntityRecord): boolean =>
  entity.deletedAt === null && entity.mergedInto === null

/** Returns whether an entity is deprecated or superseded. */
export const isRetired = ({ lifecycle }: Pick<EntityRecord, "lifecycle">): boolean =>
  lifecycle === "deprecated" || lifecycle === "superseded"

/** Returns a new record with default values. */
export const newRecord = (
  given: Pick<EntityRecord, "id" | "name" | "type" | "origin" | "authority"> & Partial<EntityRecord>,
  at: string
): EntityRecord => ({
  description: null,
  lifecycle: "published",
  ownerId: null,
  stewardIds: [],
  lastReviewedAt: null,
  nextReviewAt: null,
  supersededBy: null,
  editorialNote: "",
  personFields: [],
  touched: given.origin !== "extraction",
  claim: null,
  mergedIds: [],
  mergedInto: null,
  deletedAt: null,
  retired: false,
  ...given,
  nameNorm: nameNorm(given.name),
  aliases: aliasList(given.aliases ?? [], given.name),
  extractedAliases: aliasList(given.extractedAliases ?? [], given.name),
  version: 1,
  createdAt: at,
  updatedAt: at
})
