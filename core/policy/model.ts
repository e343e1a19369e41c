import { z } from "zod"

/**
 * `off` judges nothing, `shadow` judges and logs but changes no answer, `enforce` may ask back or abstain instead.
 */
export const PolicyMode = z.enum(["off", "shadow", "enforce"])
export type PolicyMode = z.infer<typeof PolicyMode>

/** What the gate makes of a question: an answer, one with reservations, a question back, or where to look instead. */
export const Verdict = z.enum(["answer", "answer_with_caveats", "clarify", "abstain_with_pointers"])
export type Verdict = z.infer<typeof Verdict>

/**
 * Why an answer is given with a reservation: what is uncertain in it, who vouches for what it rests on, and what
 * was left out.
 */
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
  "from_cache"
])
export type CaveatCode = z.infer<typeof CaveatCode>

/** A reservation about an answer, with the sources it concerns. */
export const Caveat = z.object({
  code: CaveatCode,
  message: z.string(),
  sourceIds: z.array(z.string())
})
export type Caveat = z.infer<typeof Caveat>

/** Two sides of the evidence that disagree. */
export const EvidenceConflict = z.object({
  kind: z.enum(["number", "date", "negation", "category", "superseded"]),
  subject: z.string(),
  attribute: z.string(),
  sides: z.array(z.object({ sourceId: z.string(), value: z.string(), quote: z.string() })),
  preferred: z.string().nullable(),
  reason: z.string()
})
export type EvidenceConflict = z.infer<typeof EvidenceConflict>

/** What the gate decided about one answer, and why. */
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
