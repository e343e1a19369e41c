import * as Effect from "effect/Effect"
import { z } from "zod"
import { DocumentId, EvalId, FeedbackId, operation, pageLimit } from "../../platform/kernel/index.js"
import * as labelling from "./claim-labels.js"
import {
  EvalClaim,
  gradeMax,
  JudgeCorrection,
  JudgmentCounts,
  ProposedJudgment,
  QueryId,
  SetName
} from "./model.js"
import { judgeAgreement as agreementOf, poolRuns } from "./pool.js"
import { acceptProposals, proposeJudgments } from "./proposals.js"

/** Lists unjudged documents among the first ranks of runs, the most useful to judge first. */
export const poolQrels = operation({
  name: "poolQrels",
  summary: "Pool the first ranks of several runs for judging.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({
    set: SetName,
    runs: z.array(EvalId).min(1).max(50),
    depth: z.int().min(1).max(1000).default(10)
  }),
  output: z.object({
    items: z.array(
      z.object({
        queryId: z.string(),
        query: z.string(),
        docId: DocumentId,
        runs: z.int(),
        bestRank: z.int(),
        modelGrade: z.int().nullable()
      })
    ),
    total: z.int()
  }),
  faults: ["NotFound", "Conflict"],
  run: (input) => Effect.map(poolRuns(input), ({ items, total }) => ({ items: [...items], total }))
})

/** Operation that measures how far the judges of a topic set agree. */
export const judgeAgreement = operation({
  name: "judgeAgreement",
  summary: "Measure how far the judges of a set agree (Krippendorff's alpha, Cohen's kappa).",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({ set: SetName.describe("Name of the judgments.") }),
  output: z.object({
    judges: z.array(z.string()),
    items: z.int().describe("Documents that more than one judge has judged."),
    alpha: z.number().nullable(),
    pairs: z.array(z.object({ a: z.string(), b: z.string(), items: z.int(), kappa: z.number() }))
  }),
  faults: [],
  run: ({ set }) => agreementOf(set)
})

/** Lists judgments that feedback on runs suggests and no person has made yet; nothing is stored. */
export const proposeQrels = operation({
  name: "proposeQrels",
  summary: "Suggest judgments for a set from feedback on runs, newest first.",
  scopes: ["runs:read"],
  effect: "read",
  input: z.object({ set: SetName.describe("Name of the judgments.") }),
  output: z.object({ items: z.array(ProposedJudgment), total: z.int() }),
  faults: [],
  run: ({ set }) => Effect.map(proposeJudgments(set), (items) => ({ items: [...items], total: items.length }))
})

/** All or nothing; the caller is the judge. */
export const acceptQrels = operation({
  name: "acceptQrels",
  summary: "Store suggested judgments as the caller's own.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({
    set: SetName.describe("Name of the judgments."),
    feedbackIds: z.array(FeedbackId).min(1).max(1000),
    docId: DocumentId.optional().describe("Only the proposals about this document."),
    grade: z.int().min(0).max(gradeMax).optional().describe("The grade in place of the proposed one.")
  }),
  output: JudgmentCounts,
  faults: ["NotFound", "InvalidInput"],
  run: (input) => acceptProposals(input)
})

/** Claims in the order in which labelling them is worth most. */
export const claimsToLabel = operation({
  name: "claimsToLabel",
  summary: "List the unlabelled claims of an evaluation run, most useful first.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({ id: EvalId, limit: pageLimit }),
  output: z.object({
    items: z.array(
      EvalClaim.omit({ label: true }).extend({
        queryId: z.string(),
        query: z.string(),
        claim: z.int().describe("Its place in the answer, from 1.")
      })
    ),
    total: z.int()
  }),
  faults: ["NotFound", "Conflict"],
  run: ({ id, limit }) =>
    Effect.map(labelling.claimsToLabel(id, limit), ({ items, total }) => ({ items: [...items], total }))
})

/** The figures of the run that a judge found are corrected anew. */
export const labelClaims = operation({
  name: "labelClaims",
  summary: "Label claims of an evaluation run as supported or not by what they cite.",
  scopes: ["kb:write"],
  effect: "idempotent",
  input: z.object({
    id: EvalId,
    labels: z
      .array(
        z.object({
          queryId: QueryId,
          claim: z.int().min(1).describe("Its place in the answer, from 1."),
          supportedBy: z
            .array(z.string())
            .max(100)
            .describe("Citations that together support it; none when it is unsupported.")
        })
      )
      .min(1)
      .max(1000)
  }),
  output: z.object({ claims: z.int(), labelled: z.int(), judgeCorrections: z.array(JudgeCorrection) }),
  faults: ["NotFound", "Conflict", "InvalidInput"],
  run: ({ id, labels }) => labelling.labelClaims(id, labels)
})
