import { z } from "zod"
import { EntityId, nameNorm } from "../kernel/index.js"
import { snapshotOf } from "./commit.js"
import { aliasList } from "./machine.js"
import { Authority, type EntityRecord, Lifecycle, Origin, type Revision, type StoredEntity } from "./model.js"
import { surfaceKey } from "./tokens.js"

/** What a revision says of an entity; the rest of what it shows belongs to the store. */
const Snapshot = z.object({
  id: EntityId,
  name: z.string(),
  type: z.string(),
  origin: Origin,
  description: z.string().nullable(),
  aliases: z.array(z.string()),
  authority: Authority,
  lifecycleStatus: Lifecycle,
  ownerId: z.string().nullable(),
  stewardIds: z.array(z.string()),
  version: z.int(),
  lastReviewedAt: z.string().nullable(),
  nextReviewAt: z.string().nullable(),
  supersededBy: EntityId.nullable(),
  editorialNote: z.string(),
  mergedIds: z.array(EntityId),
  mergedInto: EntityId.nullable(),
  deletedAt: z.string().nullable(),
  retired: z.boolean(),
  createdAt: z.string(),
  updatedAt: z.string()
})
type Snapshot = z.infer<typeof Snapshot>

/** Whether an entity is in another state than the last of its revisions tells. */
export const differsFromRevision = (
  entity: StoredEntity,
  latest: Pick<Revision, "version" | "snapshot"> | undefined
): boolean => {
  if (latest === undefined || latest.version !== entity.version) return true
  const [told, own] = [Snapshot.safeParse(latest.snapshot), Snapshot.safeParse(snapshotOf(entity))]
  return !told.success || !own.success || comparable(told.data) !== comparable(own.data)
}

/** Whether a revision could show this. */
export const isSnapshot = (told: Revision["snapshot"]): boolean => Snapshot.safeParse(told).success

/** Aliases by code unit: databases and we disagree on the order of some. */
const comparable = (snapshot: Snapshot): string =>
  JSON.stringify({ ...snapshot, aliases: [...snapshot.aliases].sort() })

/**
 * The entity as a revision tells it, with what revisions do not tell as it is now, or, where the row is lost, as it
 * must have been. Null when the revision cannot be read.
 */
export const recordOf = (now: StoredEntity | null, snapshot: Revision["snapshot"]): EntityRecord | null => {
  const read = Snapshot.safeParse(snapshot)
  if (!read.success) return null
  const { aliases, lifecycleStatus, ...told } = read.data
  const found = told.origin === "extraction"
  const personFields = now?.personFields ?? (found ? [] : (["aliases", "name", "type"] as const))
  const claim = found ? { type: told.type, key: surfaceKey(told.name) || told.name.trim() } : null
  // Which aliases a person gave is not told: those that the row still has as a person's, else all or none.
  const isPersons = (alias: string) =>
    now?.aliases.some((own) => nameNorm(own) === nameNorm(alias)) === true ||
    !found ||
    personFields.includes("aliases")
  return {
    ...told,
    lifecycle: lifecycleStatus,
    nameNorm: nameNorm(told.name),
    aliases: aliasList(aliases.filter(isPersons), told.name),
    extractedAliases: aliasList(
      aliases.filter((alias) => !isPersons(alias)),
      told.name
    ),
    personFields,
    touched: now?.touched ?? !found,
    claim: now === null ? claim : now.claim
  }
}
