import { z } from "zod"
import {
  DecisionId,
  DocumentId,
  defined,
  MomentOrDay,
  operation,
  pageLimit,
  pageOffset
} from "../../platform/kernel/index.js"
import { PolicyStats, Verdict } from "../policy/index.js"
import {
  DecisionPage,
  decisionStats,
  ExplainedDecision,
  explainDecision,
  listDecisions
} from "./decisions.js"

/**
 * Pages of at most 200 decisions, as `listDecisions` gives them; for readers of the log, so it takes `kb:read` or
 * `runs:read`.
 */
export const listPolicyDecisions = operation({
  name: "listPolicyDecisions",
  summary: "List the gate's decisions on questions, newest first.",
  scopes: ["kb:read", "runs:read"],
  effect: "read",
  input: z.object({
    limit: pageLimit,
    offset: pageOffset,
    verdict: Verdict.optional().describe("Only with this verdict."),
    mode: z.enum(["off", "shadow", "enforce"]).optional().describe("`off` leaves no decisions."),
    docId: DocumentId.optional().describe("Only of answers that listed this document."),
    q: z
      .string()
      .max(400)
      .optional()
      .describe("Only about questions that hold this, without regard to case."),
    askedBy: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("Only about questions of this key or person, as far as the answers are kept."),
    from: MomentOrDay.optional().describe("Only at this moment or later: a timestamp, or a day in UTC."),
    to: MomentOrDay.optional().describe("Only before this moment.")
  }),
  output: DecisionPage,
  faults: [],
  run: ({ docId, limit, offset, ...filter }) =>
    listDecisions(defined({ ...filter, document: docId }), { limit, offset })
})

/** See `explainDecision`. NotFound for a decision that retention has pruned, as for one that never was. */
export const getPolicyDecision = operation({
  name: "getPolicyDecision",
  tool: "svc_explain_answer",
  summary: "Get a decision of the gate with its features, the answer given and the state of its citations.",
  scopes: ["kb:read", "runs:read"],
  effect: "read",
  input: z.object({ id: DecisionId }),
  output: ExplainedDecision,
  faults: ["NotFound"],
  run: ({ id }) => explainDecision(id)
})

/** See `decisionStats`: a window of thirty days, up to now. */
export const getPolicyStats = operation({
  name: "getPolicyStats",
  summary: "Summarize the gate's decisions of the last thirty days and the quality of its calibration.",
  scopes: ["kb:read", "runs:read"],
  effect: "read",
  input: z.object({}),
  output: PolicyStats,
  faults: [],
  run: () => decisionStats()
})
