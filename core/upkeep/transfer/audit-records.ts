import { z } from "zod"
import { StructuredAnswer } from "../../answers/answering/index.js"
import { Artefact } from "../../answers/calibration/index.js"
import { PolicyDecision } from "../../answers/policy/index.js"
import { ChangeRequest, RequestKind } from "../../knowledge/curation/index.js"
import { AuditEvent } from "../../platform/audit/index.js"
import { AnswerId, Timestamp } from "../../platform/kernel/index.js"
import { Feedback, FeedbackKind } from "../../work/agent-runs/index.js"
import { AuditPosition } from "./record-fields.js"

/** An audit event with its position in the chain. */
export const AuditRecord = AuditEvent.extend({ kind: z.literal("audit"), position: AuditPosition }).strict()

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

/** Feedback on an answer; its own kind is called `about` here. */
export const AnswerFeedbackRecord = Feedback.omit({ kind: true })
  .extend({ kind: z.literal("answer_feedback"), answerId: AnswerId, about: FeedbackKind })
  .strict()

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
export const RequestRecord = ChangeRequest.omit({ kind: true, entityName: true })
  .extend({ kind: z.literal("request"), change: RequestKind })
  .strict()
