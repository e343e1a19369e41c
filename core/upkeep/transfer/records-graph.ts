import { z } from "zod"
import { Authority, ChangeKind, Lifecycle, Origin } from "../../knowledge/entities/index.js"
import { RelationOrigin } from "../../knowledge/graph/index.js"
import { ConceptDetails, Grouping } from "../../knowledge/vocabulary/index.js"
import { DocumentId, EntityId, JobId, RelationId, Timestamp } from "../../platform/kernel/index.js"
import { Count, Label, Position, When } from "./record-fields.js"

/** An entity in any state: live, merged or deleted. */
export const EntityRecordLine = z.strictObject({
  kind: z.literal("entity"),
  id: EntityId,
  seq: Position,
  name: z.string().min(1),
  type: z.string().min(1),
  origin: Origin,
  description: z.string().nullable(),
  aliases: z.array(z.string()),
  extractedAliases: z.array(z.string()),
  authority: Authority,
  lifecycle: Lifecycle,
  ownerId: z.string().nullable(),
  stewardIds: z.array(z.string()),
  version: Position,
  lastReviewedAt: When,
  nextReviewAt: When,
  supersededBy: EntityId.nullable(),
  editorialNote: z.string(),
  personFields: z.array(z.enum(["name", "type", "aliases", "description"])),
  touched: z.boolean(),
  claim: z.strictObject({ type: z.string(), key: z.string() }).nullable(),
  mergedIds: z.array(EntityId),
  mergedInto: EntityId.nullable(),
  headId: EntityId,
  deletedAt: When,
  retired: z.boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  /** Detection surfaces with the head that each resolves to. */
  surfaces: z.array(z.strictObject({ key: z.string(), headId: EntityId }))
})
export type EntityRecordLine = z.infer<typeof EntityRecordLine>

export const RevisionRecord = z.strictObject({
  kind: z.literal("revision"),
  entityId: EntityId,
  version: Position,
  changeKind: ChangeKind,
  snapshot: z.record(z.string(), z.unknown()),
  diff: z.record(z.string(), z.strictObject({ from: z.unknown(), to: z.unknown() })),
  activity: z.string(),
  changedBy: z.string(),
  note: z.string().nullable(),
  createdAt: Timestamp
})

/** Vocabulary data of an imported entity. */
export const ConceptRecord = z.strictObject({
  kind: z.literal("concept"),
  entityId: EntityId,
  iri: z.string(),
  ...ConceptDetails.shape
})
export type ConceptRecord = z.infer<typeof ConceptRecord>

/** Texts of a vocabulary's scheme or collection. */
export const GroupingRecord = z.strictObject({ kind: z.literal("grouping"), ...Grouping.shape })

export const RelationRecord = z.strictObject({
  kind: z.literal("relation"),
  id: RelationId,
  srcId: EntityId,
  type: z.string().min(1),
  dstId: EntityId,
  origin: RelationOrigin,
  note: z.string().nullable(),
  srcHead: EntityId.nullable(),
  dstHead: EntityId.nullable(),
  deletedAt: When,
  createdAt: Timestamp
})

const ReferenceRecord = z.strictObject({
  type: z.string(),
  to: z.union([
    z.strictObject({
      link: z.strictObject({ kind: z.enum(["wiki", "markdown"]), target: z.string() })
    }),
    z.strictObject({ value: z.union([z.string(), z.number()]) })
  ]),
  start: Count.nullable(),
  quote: z.string()
})

const Hashes = z.base64().describe("Ascending 32-bit numbers, little-endian, as base64.")

const ReadingRecord = z.strictObject({
  path: z.string(),
  title: z.string(),
  aliases: z.array(z.string()),
  nameKey: z.string(),
  nameType: z.string(),
  entityId: EntityId.nullable(),
  references: z.array(ReferenceRecord),
  targets: z.array(DocumentId.nullable()).nullable(),
  tags: z.array(z.string()),
  hidden: z.array(Count),
  words: Hashes,
  small: Hashes,
  stale: z.boolean(),
  /** Absent if no model was asked. */
  named: z
    .strictObject({
      contentHash: z.string(),
      modelId: z.string(),
      names: z.array(z.strictObject({ name: z.string(), type: z.string(), quote: z.string() }))
    })
    .optional()
})

const ClaimRecord = z.strictObject({
  key: z.string(),
  role: z.enum(["self", "alias", "tag", "link", "term", "named"]),
  type: z.string(),
  name: z.string(),
  subject: z.string(),
  prose: Count,
  headings: Count
})

const MentionRecord = z.strictObject({
  label: Label,
  start: Count,
  end: Count,
  entityId: EntityId,
  key: z.string(),
  confidence: z.number().min(0).max(1),
  /** Not told by exports from before runs were noted. */
  runId: JobId.nullable().default(null)
})

const EvidenceRecord = z.strictObject({
  relationId: RelationId,
  ordinal: Count,
  label: Label.nullable(),
  quote: z.string()
})

/** The extraction record of one document with its mentions and relations. */
export const ExtractionRecord = z.strictObject({
  kind: z.literal("extraction"),
  documentId: DocumentId,
  reading: ReadingRecord.nullable(),
  claims: z.array(ClaimRecord),
  mentions: z.array(MentionRecord),
  evidence: z.array(EvidenceRecord)
})
export type ExtractionRecord = z.infer<typeof ExtractionRecord>

/** A name with changed claims that extraction still has to resolve. */
export const UndecidedRecord = z.strictObject({ kind: z.literal("undecided"), key: z.string().min(1) })
