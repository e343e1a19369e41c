import { type CallerShape, nameNorm } from "../kernel/index.js"
import { aliasList } from "./machine.js"
import type { CurationMeta, Entity, EntityRecord, SourceRef } from "./model.js"

/** What names an entity. */
type Named = Pick<EntityRecord, "name" | "aliases" | "extractedAliases">

/** All names of an entity beside its own name: a person's aliases and found ones. */
export const allAliases = (entity: Named): ReadonlyArray<string> =>
  aliasList([...entity.aliases, ...entity.extractedAliases], entity.name)

/** An entity on the wire; `members` are the entities that were merged into it. */
export const toEntity = (head: EntityRecord, members: ReadonlyArray<EntityRecord> = []): Entity => ({
  id: head.id,
  name: head.name,
  type: head.type,
  nameNorm: head.nameNorm,
  origin: head.origin,
  description: head.description,
  aliases: [...aliasesWith(head, members)]
})

/** All names of an entity beside its own name, those of what was merged into it among them. */
export const aliasesWith = (head: Named, members: ReadonlyArray<Named>): ReadonlyArray<string> =>
  members.length === 0
    ? allAliases(head)
    : aliasList(
        [...allAliases(head), ...members.flatMap((member) => [member.name, ...allAliases(member)])],
        head.name
      )

/** Whether the caller may read notes for stewards: those who may write do. */
export const readsNotes = ({ scopes }: Pick<CallerShape, "scopes">): boolean =>
  scopes === undefined || scopes.includes("kb:write")

/** The curation of an entity; its note is for those who may write. */
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

/** Live and standing for itself. */
export const isCanonical = (entity: EntityRecord): boolean =>
  entity.deletedAt === null && entity.mergedInto === null

/** Out of use by decision: deprecated, or superseded by another. */
export const isRetired = ({ lifecycle }: Pick<EntityRecord, "lifecycle">): boolean =>
  lifecycle === "deprecated" || lifecycle === "superseded"

/** A record with nothing but what makes it an entity. */
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
