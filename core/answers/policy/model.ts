import { z } from "zod"

/** `off` disables the gate, `shadow` decides and logs without changing answers, `enforce` may ask back or abstain. */
export const PolicyMode = z.enum(["off", "shadow", "enforce"])
export type PolicyMode = z.infer<typeof PolicyMode>

/** Verdict of the gate: an answer, an answer with caveats, a clarifying question, or an abstention. */
export const Verdict = z.enum(["answer", "answer_with_caveats", "clarify", "abstain_with_pointers"])
export type Verdict = z.infer<typeof Verdict>

/** Reason for a caveat: uncertainty, the governance of the sources, or omissions. */
export const CaveatCode = z.enum([
  "low_confidence",
  "partial_grounding",
  "conflicting_evidence",
  "stale_source",
  "unverified_source",
  "deprecated_source",
  "deprecated_entity",
  "superseded_entity",
  "machine_extracted_only",
  "data_truncated",
  "data_unavailable",
  "reply_truncated",
  "text_uncertain",
  "history_incomplete",
  "from_cache"
])
export type CaveatCode = z.infer<typeof CaveatCode>

/** A caveat about an answer, with the sources it concerns. */
export const Caveat = z.object({
  code: CaveatCode,
  message: z.string(),
  sourceIds: z.array(z.string()),
  claims: z
    .array(z.int().min(0))
    .optional()
    .describe("Of `partial_grounding`: places of the claims that it concerns, from 0.")
})
export type Caveat = z.infer<typeof Caveat>

/** Two conflicting pieces of evidence. */
export const EvidenceConflict = z.object({
  kind: z.enum(["number", "date", "negation", "category", "superseded"]),
  subject: z.string(),
  attribute: z.string(),
  sides: z.array(z.object({ sourceId: z.string(), value: z.string(), quote: z.string() })),
  preferred: z.string().nullable(),
  reason: z.string()
})
export type EvidenceConflict = z.infer<typeof EvidenceConflict>

/** The gate's decision about an answer, with its reasons. */
export const PolicyBlock = z.object({
  mode: PolicyMode,
  verdict: Verdict,
  confidence: z.number().min(0).max(1),
  calibrationVersion: z.string(),
  reasons: z.array(z.string()),
  caveats: z.array(Caveat),
  conflicts: z.array(EvidenceConflict)
})
export type PolicyBlock = z.infer<typeof PolicyBlock>

/** The policy block of an answer without a gate. */
export const policyOff: PolicyBlock = {
  mode: "off",
  verdict: "answer",
  confidence: 0,
  calibrationVersion: "none",
  reasons: ["policy_off"],
  caveats: [],
  conflicts: []
}
