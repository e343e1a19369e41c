import { z } from "zod"
import { StructuredAnswer } from "../../answers/answering/index.js"
import { Artefact } from "../../answers/calibration/index.js"
import { Contradiction } from "../../answers/contradictions/index.js"
import { PolicyDecision } from "../../answers/policy/index.js"
import { ProposedChange, ProposedDocument } from "../../files/documents/index.js"
import { ChangeRequest, RequestKind } from "../../knowledge/entities/index.js"
import { AuditEvent } from "../../platform/audit/index.js"
import { AnswerId, Timestamp } from "../../platform/kernel/index.js"
import { Feedback, FeedbackKind } from "../../work/agent-runs/index.js"
import { InboxMark } from "../overview/index.js"
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

/** The title that a person gave a conversation. */
export const ConversationRecord = z.strictObject({
  kind: z.literal("conversation"),
  conversationId: z.string(),
  askedBy: z.string(),
  title: z.string(),
  updatedAt: Timestamp
})

/** What a person said about an item of the inbox; the kind of that is called `about` here. */
export const InboxMarkRecord = InboxMark.omit({ kind: true })
  .extend({ kind: z.literal("inbox_mark"), about: InboxMark.shape.kind })
  .strict()

/** Feedback on an answer; its own kind is called `about` here. */
export const AnswerFeedbackRecord = Feedback.omit({ kind: true })
  .extend({ kind: z.literal("answer_feedback"), answerId: AnswerId, about: FeedbackKind })
  .strict()

/** A contradiction; its own kind is called `about` here. */
export const ContradictionRecord = Contradiction.omit({ kind: true })
  .extend({ kind: z.literal("contradiction"), about: Contradiction.shape.kind, pairKey: z.string() })
  .strict()

/** A proposed document. */
export const ProposalRecord = ProposedDocument.extend({
  kind: z.literal("proposal"),
  change: ProposedChange.default("write")
}).strict()

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
