import { z } from "zod"
import { StructuredAnswer } from "../../core/answers/answering/index.js"
import { PolicyMode, Verdict } from "../../core/answers/policy/index.js"
import {
  AnswerId,
  DecisionId,
  FeedbackId,
  operation,
  pageLimit,
  pageOffset,
  scopes,
  Text,
  Timestamp
} from "../../core/platform/kernel/index.js"
import { addAnswerFeedback, getAnswer, listAnswers } from "../../core/upkeep/overview/index.js"
import { Feedback, FeedbackKind } from "../../core/work/agent-runs/index.js"
import { type Row, row } from "../catalog/row.js"

// The console's list of the answers that were given, and one of them.

export const AnswerItem = z.object({
  id: AnswerId,
  question: z.string(),
  mode: PolicyMode,
  verdict: Verdict,
  confidence: z.number(),
  askedBy: z.string(),
  activity: z.string(),
  conversationId: z.string().nullable(),
  decisionId: DecisionId.nullable(),
  feedback: z.array(Feedback),
  createdAt: Timestamp
})

const list = operation({
  name: "listAnswers",
  summary: "List stored answers, newest first, including those with the policy off.",
  scopes,
  effect: "read",
  input: z.object({
    mine: z.boolean().default(true),
    q: z.string().max(400).optional(),
    conversationId: z.string().max(200).optional(),
    feedback: z.enum(["negative", "positive", "any"]).optional(),
    limit: pageLimit,
    offset: pageOffset
  }),
  output: z.object({ items: z.array(AnswerItem), total: z.int(), limit: z.int(), offset: z.int() }),
  faults: ["InsufficientScope"],
  run: ({ limit, offset, ...query }) => listAnswers(query, { limit, offset })
})

const get = operation({
  name: "getAnswer",
  summary: "Get a stored answer as it was given.",
  scopes,
  effect: "read",
  input: z.object({ id: AnswerId }),
  output: AnswerItem.extend({ answer: StructuredAnswer }),
  faults: ["NotFound"],
  run: ({ id }) => getAnswer(id)
})

const feedback = operation({
  name: "addAnswerFeedback",
  summary: "Add feedback to an answer, as to a run.",
  scopes: ["agents:run", "kb:write"],
  effect: "write",
  input: z.object({
    id: AnswerId,
    kind: FeedbackKind,
    value: z.record(z.string(), z.unknown()),
    note: Text.max(4000).optional()
  }),
  output: z.object({ id: FeedbackId }),
  faults: ["NotFound", "InvalidInput"],
  run: addAnswerFeedback
})

export const answerRows: ReadonlyArray<Row> = [
  row(list, "GET", "/console/answers"),
  row(get, "GET", "/console/answers/{id}"),
  row(feedback, "POST", "/console/answers/{id}/feedback", { status: 201 })
]
