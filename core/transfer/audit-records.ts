import { z } from "zod"
import { StructuredAnswer } from "../answering/index.js"
import { Artefact } from "../calibration/index.js"
import { RequestKind, RequestStatus } from "../curation/index.js"
import { AnswerId, AuditId, ChangeRequestId, EntityId, Timestamp } from "../kernel/index.js"
import { PolicyDecision } from "../policy/index.js"
import { AuditPosition, Sha256, When } from "./record-fields.js"

export const AuditRecord = z.strictObject({
  kind: z.literal("audit"),
  id: AuditId,
  action: z.string(),
  actor: z.string(),
  activity: z.string(),
  subjectId: z.string(),
  at: Timestamp,
  details: z.record(z.string(), z.unknown()),
  requestId: z.string().nullable(),
  /** Position in the chain. */
  position: AuditPosition,
  prevHash: Sha256,
  hash: Sha256
})

/** A stored answer. */
export const AnswerRecord = z.strictObject({
  kind: z.literal("answer"),
  id: AnswerId,
  question: z.string(),
  answer: StructuredAnswer,
  askedBy: z.string(),
  activity: z.string(),
  createdAt: Timestamp
})

/** A gate decision about one question. */
export const DecisionRecord = PolicyDecision.extend({ kind: z.literal("decision") })

/** A calibration fitted for the workspace. */
export const CalibrationRecord = z.strictObject({
  kind: z.literal("calibration"),
  version: z.string().regex(/^[0-9a-f]{16}$/),
  artefact: Artefact,
  createdBy: z.string(),
  createdAt: Timestamp,
  active: z.boolean()
})

/** A change request; its own kind is named `change` here. */
export const RequestRecord = z.strictObject({
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
