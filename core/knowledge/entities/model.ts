import { z } from "zod"
import { ChunkId, DocumentId, EntityId, JobId, Text, Timestamp } from "../../platform/kernel/index.js"

/** Authority of an entity, weakest first. It rises only by a person's action. */
export const Authority = z.enum(["machine_extracted", "asserted", "curated", "certified"])
export type Authority = z.infer<typeof Authority>
/** Lifecycle of an entity. `deprecated` (no successor) and `superseded` (with successor) are final. */
export const Lifecycle = z.enum(["draft", "pending_review", "published", "deprecated", "superseded"])
export type Lifecycle = z.infer<typeof Lifecycle>
/** How an entity was first created: by hand, by extraction, by an approved change request, or by an import. */
export const Origin = z.enum(["manual", "extraction", "change_request", "import"])
export type Origin = z.infer<typeof Origin>

/** Limits of entity fields: those of the contract, and our own where it sets none. */
export const entityLimits = { name: 400, type: 120, aliases: 200, description: 20_000, pageMax: 200 } as const

/** Name of an entity, trimmed, 1 to 400 UTF-16 units. Two names are equal if their `nameNorm` is equal. */
export const EntityName = Text.trim().min(1).max(entityLimits.name)
/** Free-text type of an entity, such as `person` or `concept`: trimmed, 1 to 120 UTF-16 units. */
export const EntityType = Text.trim().min(1).max(entityLimits.type)
/** Other names of an entity, at most 200. An update replaces the whole list. */
export const EntityAliases = z.array(EntityName).max(entityLimits.aliases)

/** An entity in wire form. */
export const Entity = z.object({
  id: EntityId,
  name: EntityName,
  type: EntityType,
  nameNorm: z.string().describe("The name as names are compared; unique with the type among live entities."),
  origin: Origin,
  description: z.string().nullable(),
  aliases: z.array(z.string()).describe("Its own and those of the entities merged into it, sorted.")
})
export type Entity = z.infer<typeof Entity>

/** An entity in a list. `pagerank` has no unit; the ranks of a workspace sum to 1. */
export const EntityListItem = z.object({
  id: EntityId,
  name: z.string(),
  type: z.string(),
  pagerank: z.number().nullable().describe("Null until graph analytics have run."),
  authority: Authority,
  lifecycleStatus: Lifecycle,
  ownerId: z.string().nullable(),
  nextReviewAt: Timestamp.nullable()
})
export type EntityListItem = z.infer<typeof EntityListItem>

/**
 * A page of live canonical entities, the highest PageRank first. `total` counts all of the requested type; `limit`
 * and `offset` are the values used.
 */
export const EntityPage = z.object({
  entities: z.array(EntityListItem),
  total: z.int(),
  limit: z.int(),
  offset: z.int()
})
export type EntityPage = z.infer<typeof EntityPage>

/** Filter and order of a list of entities. */
export const EntityListing = z.object({
  type: z.string().optional().describe("Exactly this type."),
  q: z.string().max(400).optional().describe("Only entities whose name holds this, without regard to case."),
  authority: Authority.optional(),
  lifecycle: Lifecycle.optional(),
  ownerId: z.string().min(1).optional().describe("Only entities with this owner."),
  sort: z
    .enum(["pagerank", "name", "nextReviewAt"])
    .optional()
    .describe("The highest PageRank first by default; by name; or what is to be reviewed next.")
})
export type EntityListing = z.infer<typeof EntityListing>

/** A passage that mentions an entity; `runId` is the extraction job that found it, or null. */
export const SourceRef = z.object({ docId: DocumentId, chunkId: ChunkId, runId: JobId.nullable() })
export type SourceRef = z.infer<typeof SourceRef>

/**
 * Curation state of an entity. `version` increases by one with every change; `editorialNote` is empty for callers who
 * may not write.
 */
export const CurationMeta = z.object({
  authority: Authority,
  lifecycleStatus: Lifecycle,
  ownerId: z.string().nullable(),
  stewardIds: z.array(z.string()).max(50),
  version: z.int(),
  lastReviewedAt: Timestamp.nullable(),
  nextReviewAt: Timestamp.nullable(),
  supersededBy: EntityId.nullable(),
  sourceRefs: z.array(SourceRef),
  editorialNote: z.string()
})
export type CurationMeta = z.infer<typeof CurationMeta>

/** The action that created a version of an entity. */
export const ChangeKind = z.enum([
  "create",
  "update",
  "certify",
  "review",
  "set_authority",
  "set_owner",
  "set_lifecycle",
  "deprecate",
  "supersede",
  "merge",
  "delete",
  "restore"
])
export type ChangeKind = z.infer<typeof ChangeKind>

/**
 * A version of an entity. `diff` lists changes by field against the version before; `activity` is `ui`, `api`, `mcp`,
 * `extraction:<job id>` or `change_request:<id>`.
 */
export const Revision = z.object({
  version: z.int(),
  changeKind: ChangeKind,
  snapshot: z.record(z.string(), z.unknown()).describe("The entity after the change."),
  diff: z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })),
  activity: z.string(),
  changedBy: z.string(),
  note: z.string().nullable(),
  createdAt: Timestamp
})
export type Revision = z.infer<typeof Revision>

/** Fields that a person may set; extraction does not change a field once a person has set it. */
export type PersonField = "name" | "type" | "aliases" | "description"

/** An entity as stored: every field that a version covers. */
export interface EntityRecord {
  readonly id: EntityId
  readonly name: string
  readonly type: string
  readonly nameNorm: string
  readonly origin: Origin
  readonly description: string | null
  /** Set by a person or an import; sorted by nameNorm, unique, without the name itself. */
  readonly aliases: ReadonlyArray<string>
  /** Found in documents; sorted and unique likewise. */
  readonly extractedAliases: ReadonlyArray<string>
  readonly authority: Authority
  readonly lifecycle: Lifecycle
  readonly ownerId: string | null
  readonly stewardIds: ReadonlyArray<string>
  readonly version: number
  readonly lastReviewedAt: string | null
  readonly nextReviewAt: string | null
  readonly supersededBy: EntityId | null
  readonly editorialNote: string
  readonly personFields: ReadonlyArray<PersonField>
  /** Whether a person has created, changed, merged or curated it; extraction never retires such an entity. */
  readonly touched: boolean
  /** The type and key by which documents name it; extraction uses them after a person has renamed the entity. */
  readonly claim: { readonly type: string; readonly key: string } | null
  /** Entities merged directly into this one, in order of merging. */
  readonly mergedIds: ReadonlyArray<EntityId>
  /** The entity that it was merged into directly; that one may be merged further. */
  readonly mergedInto: EntityId | null
  readonly deletedAt: string | null
  /** Deleted by extraction because no document supports it; extraction may bring it back. */
  readonly retired: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

/** Columns of an entity that change without a new version. */
export interface StoredEntity extends EntityRecord {
  /** Its own id, or that of the last entity of its chain of merges. */
  readonly headId: EntityId
  /** Persisted PageRank without a unit; the ranks of a workspace sum to 1. Null until analytics have run. */
  readonly pagerank: number | null
  /** Position in the feed of entity changes. */
  readonly seq: number
}

/** The fields of an entity that a card shows, and its head. */
export type EntityBrief = Pick<
  StoredEntity,
  "id" | "headId" | "name" | "type" | "aliases" | "extractedAliases" | "authority" | "lifecycle"
>

/** A change of one entity, with the revision to write. */
export interface EntityChange {
  readonly before: StoredEntity | null
  readonly after: EntityRecord
  readonly changeKind: ChangeKind
  readonly note: string | null
}

/** The names by which an entity is detected, and the head that a match resolves to. */
export interface EntitySurfaces {
  readonly id: EntityId
  readonly headId: EntityId
  /** The spellings found in the text. */
  readonly surfaces: ReadonlyArray<string>
  /**
   * Set for those that extraction made, as long as no person has set a field or the authority. A merge, a deletion and
   * their undoing say nothing about the names.
   */
  readonly isExtracted?: boolean
}
