import { z } from "zod"
import { Verification } from "../../files/documents/index.js"
import { AsOf, ChunkId, DocumentId, EntityId, JobId, RelationId } from "../../platform/kernel/index.js"
import { Authority, CurationMeta, Entity, Lifecycle } from "../entities/index.js"

/** An entity with its curation state. */
export const EntityWithCuration = Entity.extend({
  curation: CurationMeta,
  asOf: AsOf.optional().describe("As it was given; absent for the present entity.")
})
export type EntityWithCuration = z.infer<typeof EntityWithCuration>

/** An entity in a neighborhood. */
export const Card = z.object({
  id: EntityId,
  name: z.string(),
  type: z.string(),
  aliases: z.array(z.string()),
  mentionCount: z.int(),
  topRelations: z
    .array(z.string())
    .describe("Types of its relations, in either direction, the most frequent first; at most 5."),
  docIds: z.array(DocumentId).describe("Documents that mention it, those that do so most first; at most 20."),
  authority: Authority,
  lifecycleStatus: Lifecycle
})
export type Card = z.infer<typeof Card>

/** The neighborhood of an entity: entities up to the caps, and every edge between them. */
export const Neighborhood = z.object({
  entity: Card,
  nodes: z.array(Card).describe("The seed included."),
  edges: z.array(z.object({ src: EntityId, type: z.string(), dst: EntityId, mentionCount: z.int() })),
  truncated: z.boolean().describe("A cap was hit."),
  asOf: AsOf.optional().describe("As it was given; absent for the present neighborhood.")
})
export type Neighborhood = z.infer<typeof Neighborhood>

/** Origin of a relation: a person, documents, or an import. */
export const RelationOrigin = z.enum(["manual", "extraction", "import"])
export type RelationOrigin = z.infer<typeof RelationOrigin>

export const Evidence = z.object({
  docId: DocumentId.nullable().describe("Null for what a person stated without a document."),
  chunkId: ChunkId.nullable(),
  quote: z.string()
})
export type Evidence = z.infer<typeof Evidence>

/**
 * A relation between two canonical entities. `mentionCount` counts supporting places, plus one for each statement of
 * a person.
 */
export const RelationItem = z.object({
  id: RelationId,
  srcEntityId: EntityId,
  srcName: z.string(),
  type: z.string(),
  dstEntityId: EntityId,
  dstName: z.string(),
  origin: RelationOrigin,
  evidence: z.array(Evidence).describe("At most ten."),
  mentionCount: z.int()
})
export type RelationItem = z.infer<typeof RelationItem>

/** A page of live relations in id order; `total` counts all that match the filter. */
export const RelationPage = z.object({ items: z.array(RelationItem), total: z.int() })
export type RelationPage = z.infer<typeof RelationPage>

/** The created relation, and the canonical entities whose neighborhood it changed. */
export const RelationSaveResult = z.object({
  relationId: RelationId,
  affectedCanonicalIds: z.array(EntityId)
})
export type RelationSaveResult = z.infer<typeof RelationSaveResult>

/** A position in a document with the name or an alias of an entity. */
export const MentionItem = z.object({
  entityId: EntityId,
  name: z.string(),
  docId: DocumentId,
  docPath: z.string(),
  chunkId: ChunkId,
  quote: z.string().describe("The passage's words as they stand there."),
  runId: JobId.nullable().describe("The extraction job that found it; null where none did."),
  confidence: z.number().describe("In (0, 1]: one over the number of entities that the words may mean."),
  docVerification: Verification
})
export type MentionItem = z.infer<typeof MentionItem>

/** A page of mentions; `total` counts all of them. */
export const MentionPage = z.object({ items: z.array(MentionItem), total: z.int() })
export type MentionPage = z.infer<typeof MentionPage>

/**
 * Result of a merge or its dry run: `mergedId` resolves to `canonicalId` from then on. Duplicate edges and those
 * between the two are dropped.
 */
export const MergeResult = z.object({
  canonicalId: EntityId,
  mergedId: EntityId,
  movedMentions: z.int(),
  movedRelations: z.int(),
  droppedDuplicateEdges: z.int(),
  aliasesAdded: z.array(z.string()),
  curation: CurationMeta
})
export type MergeResult = z.infer<typeof MergeResult>

/** Longest type of a relation. */
export const relationTypeMax = 120

/** A stored mention: a passage and the entity whose own name was found in it. */
export interface Mention {
  readonly documentId: DocumentId
  readonly label: number
  /** UTF-16 offsets in the passage's text. */
  readonly start: number
  readonly end: number
  readonly entityId: EntityId
  readonly key: string
  readonly confidence: number
  /** The job that wrote it; null if no job did. */
  readonly runId: JobId | null
}

/** A stored relation between the entities as named; reads map both ends to their heads. */
export interface Relation {
  readonly id: RelationId
  readonly srcId: EntityId
  readonly type: string
  readonly dstId: EntityId
  readonly origin: RelationOrigin
  /** Evidence note of the person who stated it. */
  readonly note: string | null
  /** The heads of both ends; null while that end is deleted. */
  readonly srcHead: EntityId | null
  readonly dstHead: EntityId | null
  readonly evidenceCount: number
  readonly deletedAt: string | null
  readonly createdAt: string
}

/** A place in a document that supports a relation. */
export interface RelationEvidence {
  readonly relationId: RelationId
  readonly documentId: DocumentId
  /** The passage; null when the place is in the front matter. */
  readonly label: number | null
  readonly quote: string
}

/** A canonical edge: all relations of one type between two heads. */
export interface Edge {
  readonly src: EntityId
  readonly type: string
  readonly dst: EntityId
  /** Number of supporting places, plus one for each statement of a person. */
  readonly mentionCount: number
}
