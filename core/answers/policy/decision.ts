import { z } from "zod"
import {
  AnswerId,
  ChunkId,
  DecisionId,
  DocumentId,
  EntityId,
  Timestamp
} from "../../platform/kernel/index.js"
import { GateFeatures } from "./gate-features.js"
import { Caveat, EvidenceConflict, Verdict } from "./model.js"

const Share = z.number().min(0).max(1)
const Count = z.int().min(0)

/** A source of an answer, as it was at that time. */
export const DecidedSource = z.strictObject({
  sourceId: z.string(),
  docId: DocumentId,
  chunkId: ChunkId,
  cited: z.boolean().describe("False: it was only listed as a place to look.")
})
export type DecidedSource = z.infer<typeof DecidedSource>

/** A decision of the gate on one question, with everything that it was based on. */
export const PolicyDecision = z.strictObject({
  id: DecisionId,
  answerId: AnswerId.nullable().describe("Null where the workspace keeps no answers."),
  question: z.string().nullable().describe("Null where the workspace keeps no questions; the hash stays."),
  questionHash: z.string().describe("SHA-256 of the question, its white space collapsed and without case."),
  mode: z.enum(["shadow", "enforce"]),
  gate: z.enum(["pre", "post"]).describe("Whether it decided before or after an answer was written."),
  verdict: Verdict,
  applied: z.boolean().describe("The gate changed what the caller got."),
  confidence: Share,
  threshold: Share,
  certified: z.boolean(),
  calibrationVersion: z.string(),
  reasons: z.array(z.string()),
  caveats: z.array(Caveat),
  conflicts: z.array(EvidenceConflict),
  features: GateFeatures,
  entityIds: z.array(EntityId),
  sources: z.array(DecidedSource),
  groundedness: z.strictObject({ verified: Count, total: Count }),
  models: z.strictObject({ chat: z.string(), judge: z.string() }),
  cache: z.enum(["off", "miss", "shadow_hit", "hit"]),
  usage: z.strictObject({ inputTokens: Count, outputTokens: Count, costUsd: z.string() }),
  durationMs: z.number().min(0),
  /** Trace of the answer: parsed question, candidates, rules, stages. */
  trace: z.record(z.string(), z.unknown()),
  askedBy: z
    .string()
    .describe("The id of a key or a member, or `local`; `member` where the workspace hides who asked."),
  activity: z.string(),
  requestId: z.string().nullable(),
  decidedAt: Timestamp
})
export type PolicyDecision = z.infer<typeof PolicyDecision>

const hidden = "[redacted]"

/** Returns the decision without anything that reveals the question. It can still be recomputed. */
export const redactDecision = (decision: PolicyDecision): PolicyDecision => {
  const { evidence } = decision.features
  const { best: _best, claims, question: _question, relations: _relations, ...rest } = decision.trace
  const trace = Array.isArray(claims) ? { ...rest, claims: claims.map(withoutText) } : rest
  return {
    ...decision,
    question: null,
    reasons: decision.reasons.map((reason) =>
      reason.replace(/^(unknown_term|ambiguous_entity):.*$/su, `$1:${hidden}`)
    ),
    features: {
      ...decision.features,
      evidence: {
        ...evidence,
        unknownTerms: evidence.unknownTerms.map(() => hidden),
        ambiguous: evidence.ambiguous.map(({ candidates }) => ({
          surface: hidden,
          candidates: candidates.map(({ id, type }) => ({ id, name: hidden, type }))
        }))
      }
    },
    trace
  }
}

/** A claim of the trace may repeat the question. */
const withoutText = (claim: unknown): unknown => {
  const { text: _text, ...rest } = z.looseObject({}).catch({}).parse(claim)
  return rest
}

/** Returns the part of a reason before the colon: `unknown_term` of `unknown_term:KX-2041`. */
export const reasonKind = (reason: string): string => reason.split(":", 1)[0] ?? reason
