import { z } from "zod"
import { StructuredAnswer } from "../answering/index.js"
import { Artefact } from "../calibration/index.js"
import { RequestKind, RequestStatus } from "../curation/index.js"
import { Verification, VersionOrigin } from "../documents/index.js"
import { Authority, ChangeKind, Lifecycle, Origin } from "../entities/index.js"
import { RelationOrigin } from "../graph/index.js"
import {
  AnswerId,
  AuditId,
  ChangeRequestId,
  ChunkId,
  DocumentId,
  EntityId,
  JobId,
  RelationId,
  Timestamp,
  WorkspaceId
} from "../kernel/index.js"
import { PolicyDecision } from "../policy/index.js"
import { ConceptDetails, Grouping } from "../vocabulary/index.js"
import { Settings } from "../workspace/index.js"

/** What the first line of an export calls itself. */
export const exportFormat = "kanon-export"
/** The version that this program writes, and the newest that it reads; it reads all before it too. */
export const exportVersion = 5

/** The databases keep what is counted in 32 bits, but for the places of the audit trail. */
const countMax = 2 ** 31 - 1
const Count = z.int().min(0).max(countMax)
const Position = z.int().min(1).max(countMax)
const AuditPosition = z.int().min(1)
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
/** A passage's number, by which indexes and mentions name it. */
const Label = Position
const When = Timestamp.nullable()

/** The first line. Its three fields are in the first line of every version there will ever be. */
export const ExportHeader = z.strictObject({
  format: z.literal(exportFormat),
  version: z.int().min(1),
  workspaceId: WorkspaceId
})
export type ExportHeader = z.infer<typeof ExportHeader>

const WorkspaceRecord = z.strictObject({
  kind: z.literal("workspace"),
  id: WorkspaceId,
  name: z.string().min(1).max(200),
  settings: Settings,
  /** Which state of name and settings this is. */
  revision: Position,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  /** The last numbers given out: of the two feeds of changes, and to passages. */
  positions: z.strictObject({ documents: Count, entities: Count, passages: Count }),
  /** How far extraction has followed the feeds, and whether it has links to follow anew. */
  extraction: z.strictObject({ documents: Count, entities: Count, relink: z.boolean() }),
  /** Where the chain of the audit trail ends; null where nothing was ever recorded. */
  auditHead: z.strictObject({ position: AuditPosition, hash: Sha256 }).nullable()
})

const PassageRecord = z.strictObject({
  id: ChunkId,
  label: Label,
  headings: z.array(z.string()),
  /** UTF-16 offsets in the content. */
  start: Count,
  end: Count
})

/** A document, live or in the trash. Its front matter, size and tags are read from the content again. */
export const DocumentRecord = z.strictObject({
  kind: z.literal("document"),
  id: DocumentId,
  path: z.string().min(1),
  title: z.string(),
  contentHash: Sha256,
  version: Position,
  seq: Position,
  verification: Verification,
  verifiedBy: z.string().nullable(),
  verifiedAt: When,
  nextVerifyAt: When,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  deletedAt: When,
  content: z.string(),
  passages: z.array(PassageRecord)
})
export type DocumentRecord = z.infer<typeof DocumentRecord>

/** A text that documents had, and that an older version of one or more of them still tells of. */
const TextRecord = z.strictObject({ kind: z.literal("text"), contentHash: Sha256, content: z.string() })

/** A version of a document's text. That of the present one stands in the document. */
const VersionRecord = z.strictObject({
  kind: z.literal("version"),
  documentId: DocumentId,
  version: Position,
  contentHash: Sha256,
  sizeBytes: Count,
  origin: VersionOrigin,
  changedBy: z.string(),
  activity: z.string(),
  createdAt: Timestamp,
  /** Null for the present version: the document tells. */
  verification: Verification.nullable()
})

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
  /** By which names it is detected in texts, and which head that means. */
  surfaces: z.array(z.strictObject({ key: z.string(), headId: EntityId }))
})
export type EntityRecordLine = z.infer<typeof EntityRecordLine>

const RevisionRecord = z.strictObject({
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

/** What is kept of an entity that came from a vocabulary. */
export const ConceptRecord = z.strictObject({
  kind: z.literal("concept"),
  entityId: EntityId,
  iri: z.string(),
  ...ConceptDetails.shape
})
export type ConceptRecord = z.infer<typeof ConceptRecord>

/** What a vocabulary says of one of its schemes or collections. */
const GroupingRecord = z.strictObject({ kind: z.literal("grouping"), ...Grouping.shape })

const RelationRecord = z.strictObject({
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
  /** Absent where no model was asked what the document names. */
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

/** What extraction has read of one document, and what it drew from that. */
export const ExtractionRecord = z.strictObject({
  kind: z.literal("extraction"),
  documentId: DocumentId,
  reading: ReadingRecord.nullable(),
  claims: z.array(ClaimRecord),
  mentions: z.array(MentionRecord),
  evidence: z.array(EvidenceRecord)
})
export type ExtractionRecord = z.infer<typeof ExtractionRecord>

/** A name whose claims changed and that extraction has still to decide. */
const UndecidedRecord = z.strictObject({ kind: z.literal("undecided"), key: z.string().min(1) })

const AuditRecord = z.strictObject({
  kind: z.literal("audit"),
  id: AuditId,
  action: z.string(),
  actor: z.string(),
  activity: z.string(),
  subjectId: z.string(),
  at: Timestamp,
  details: z.record(z.string(), z.unknown()),
  requestId: z.string().nullable(),
  /** Its place in the chain. */
  position: AuditPosition,
  prevHash: Sha256,
  hash: Sha256
})

/** An answer as it was given. */
const AnswerRecord = z.strictObject({
  kind: z.literal("answer"),
  id: AnswerId,
  question: z.string(),
  answer: StructuredAnswer,
  askedBy: z.string(),
  activity: z.string(),
  createdAt: Timestamp
})

/** What the gate decided of one question. */
const DecisionRecord = PolicyDecision.extend({ kind: z.literal("decision") })

/** A calibration that was fitted for the workspace. */
const CalibrationRecord = z.strictObject({
  kind: z.literal("calibration"),
  version: z.string().regex(/^[0-9a-f]{16}$/),
  artefact: Artefact,
  createdBy: z.string(),
  createdAt: Timestamp,
  active: z.boolean()
})

/** A proposed change; its own kind is called `change` here. */
const RequestRecord = z.strictObject({
  kind: z.literal("request"),
  id: ChangeRequestId,
  status: RequestStatus,
  change: RequestKind,
  entityId: EntityId.nullable(),
  payload: z.record(z.string(), z.unknown()),
  note: z.string().nullable(),
  reviewNote: z.string().nullable(),
  proposedBy: z.string(),
  reviewedBy: z.string().nullable(),
  appliedEntityId: EntityId.nullable(),
  createdAt: Timestamp,
  reviewedAt: When
})

/** One line between the first and the last. */
export const ArchiveRecord = z.discriminatedUnion("kind", [
  WorkspaceRecord,
  DocumentRecord,
  TextRecord,
  VersionRecord,
  EntityRecordLine,
  RevisionRecord,
  ConceptRecord,
  GroupingRecord,
  RelationRecord,
  ExtractionRecord,
  UndecidedRecord,
  AnswerRecord,
  DecisionRecord,
  CalibrationRecord,
  RequestRecord,
  AuditRecord
])
export type ArchiveRecord = z.infer<typeof ArchiveRecord>
/** The kind of a line of an export. */
export type RecordKind = ArchiveRecord["kind"]
/** The line of an export of one kind. */
export type RecordOf<Kind extends RecordKind> = Extract<ArchiveRecord, { readonly kind: Kind }>

/** The kinds in the order in which an export holds them. */
export const recordKinds = [
  "workspace",
  "document",
  "text",
  "version",
  "entity",
  "revision",
  "concept",
  "grouping",
  "relation",
  "extraction",
  "undecided",
  "answer",
  "decision",
  "calibration",
  "request",
  "audit"
] as const satisfies ReadonlyArray<RecordKind>

/** The version of the format that brought a kind, where that was not the first. */
export const kindsSince: Readonly<Partial<Record<RecordKind, number>>> = {
  text: 2,
  version: 2,
  concept: 2,
  answer: 2,
  request: 2,
  decision: 3,
  calibration: 3,
  grouping: 4
}

/** How many records of each kind there are. */
export const RecordCounts = z.strictObject({
  workspace: z.literal(1),
  document: Count,
  text: Count,
  version: Count,
  entity: Count,
  revision: Count,
  concept: Count,
  grouping: Count,
  relation: Count,
  extraction: Count,
  undecided: Count,
  answer: Count,
  decision: Count,
  calibration: Count,
  request: Count,
  audit: z.int().min(0)
})
export type RecordCounts = z.infer<typeof RecordCounts>

/** The last line: what must have come before it. */
export const ExportTrailer = z.strictObject({
  kind: z.literal("end"),
  records: RecordCounts,
  sha256: Sha256.describe("Of every byte before this line.")
})
export type ExportTrailer = z.infer<typeof ExportTrailer>
