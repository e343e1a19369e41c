import { z } from "zod"
import { Timestamp, WorkspaceId } from "../../platform/kernel/index.js"
import { Settings } from "../../platform/workspace/index.js"
import {
  AnswerFeedbackRecord,
  AnswerRecord,
  AuditRecord,
  CalibrationRecord,
  ContradictionRecord,
  ConversationRecord,
  DecisionRecord,
  InboxMarkRecord,
  ProposalRecord,
  RequestRecord
} from "./audit-records.js"
import { AuditPosition, Count, Position, Sha256 } from "./record-fields.js"
import {
  AgentRecord,
  AgentVersionRecord,
  ApprovalRecord,
  FeedbackRecord,
  RunRecord,
  StepRecord
} from "./records-agents.js"
import { DocumentRecord, ReadersRecord, TextRecord, VersionRecord } from "./records-documents.js"
import {
  ConceptRecord,
  EntityRecordLine,
  ExtractionRecord,
  GroupingRecord,
  RelationRecord,
  RevisionRecord,
  UndecidedRecord
} from "./records-graph.js"
import { DataCallRecord, DataConnectorRecord, DataQueryRecord } from "./records-livedata.js"
import { EvalRecord, EvalTopicRecord, JudgmentRecord, ReportRecord } from "./records-measures.js"

export { DocumentRecord } from "./records-documents.js"
export { ConceptRecord, EntityRecordLine, ExtractionRecord } from "./records-graph.js"

/** Format name in the first line of an export. */
export const exportFormat = "kanon-export"
/** The version of the format that this program writes and reads. */
export const exportVersion = 6

/** The first line. These three fields are stable across all versions. */
export const ExportHeader = z.strictObject({
  format: z.literal(exportFormat),
  version: z.literal(exportVersion),
  workspaceId: WorkspaceId
})
export type ExportHeader = z.infer<typeof ExportHeader>

const WorkspaceRecord = z.strictObject({
  kind: z.literal("workspace"),
  id: WorkspaceId,
  name: z.string().min(1).max(200),
  settings: Settings,
  /** Revision of name and settings. */
  revision: Position,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  /** Last assigned numbers: of both change feeds, and of passages. */
  positions: z.strictObject({ documents: Count, entities: Count, passages: Count }),
  /** Extraction's positions in the feeds, and whether links must be resolved again. */
  extraction: z.strictObject({ documents: Count, entities: Count, relink: z.boolean() }),
  /** Head of the audit chain; null for an empty one. */
  auditHead: z.strictObject({ position: AuditPosition, hash: Sha256 }).nullable()
})

/** A line between the first and the last. */
export const ArchiveRecord = z.discriminatedUnion("kind", [
  WorkspaceRecord,
  DocumentRecord,
  ReadersRecord,
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
  ConversationRecord,
  AnswerFeedbackRecord,
  DecisionRecord,
  CalibrationRecord,
  ContradictionRecord,
  ProposalRecord,
  RequestRecord,
  InboxMarkRecord,
  JudgmentRecord,
  EvalRecord,
  EvalTopicRecord,
  ReportRecord,
  DataConnectorRecord,
  DataQueryRecord,
  DataCallRecord,
  AgentRecord,
  AgentVersionRecord,
  RunRecord,
  StepRecord,
  ApprovalRecord,
  FeedbackRecord,
  AuditRecord
])
export type ArchiveRecord = z.infer<typeof ArchiveRecord>
/** The kind of an export line. */
export type RecordKind = ArchiveRecord["kind"]
/** The export line of one kind. */
export type RecordOf<Kind extends RecordKind> = Extract<ArchiveRecord, { readonly kind: Kind }>

/** Kinds in the order of an export. */
export const recordKinds = [
  "workspace",
  "document",
  "readers",
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
  "conversation",
  "answer_feedback",
  "decision",
  "calibration",
  "contradiction",
  "proposal",
  "request",
  "inbox_mark",
  "judgment",
  "eval",
  "eval_topic",
  "report",
  "data_connector",
  "data_query",
  "data_call",
  "agent",
  "agent_version",
  "run",
  "step",
  "approval",
  "feedback",
  "audit"
] as const satisfies ReadonlyArray<RecordKind>

const Counts = z.record(z.enum(recordKinds), z.int().min(0))

/** Returns counts of 0 for every kind. */
export const noCounts = (): Record<RecordKind, number> =>
  Counts.parse(Object.fromEntries(recordKinds.map((kind) => [kind, 0])))

/** Number of records of each kind. */
export const RecordCounts = Counts.refine(({ workspace }) => workspace === 1, {
  message: "There is one workspace.",
  path: ["workspace"]
})
export type RecordCounts = z.infer<typeof RecordCounts>

/** The last line, with the counts and the digest of what precedes it. */
export const ExportTrailer = z.strictObject({
  kind: z.literal("end"),
  records: RecordCounts,
  sha256: Sha256.describe("Of every byte before this line.")
})
export type ExportTrailer = z.infer<typeof ExportTrailer>
