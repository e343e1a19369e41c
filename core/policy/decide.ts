import type { GateFeatures } from "./gate-features.js"
import type { Caveat, EvidenceConflict, PolicyBlock, PolicyMode, Verdict } from "./model.js"
import { caveatsOf } from "./post-gate.js"
import { type PreGateRule, preGate } from "./pre-gate.js"

/** What the gate made of the features. */
export interface GateDecision {
  /** The gate that decided. */
  readonly gate: "pre" | "post"
  /** The rule that fired before an answer was written; null behind it. */
  readonly rule: PreGateRule | null
  readonly verdict: Verdict
  /** Estimated probability that the given answer is right; of an answer not given, that it would have been. */
  readonly confidence: number
  readonly reasons: ReadonlyArray<string>
  readonly caveats: ReadonlyArray<Caveat>
  readonly conflicts: ReadonlyArray<EvidenceConflict>
}

/**
 * The decision, from features alone: no mode, no clock, no store. What fires before an answer is written decides,
 * whatever was written all the same. Once a model has answered its prose stands, and the verdict is `answer` only
 * where no caveat but `from_cache` holds. Without an answer to judge the question is let through as `answer`.
 */
export const decideGate = (features: GateFeatures): GateDecision => {
  const finding = preGate(features)
  return finding === null
    ? decideBehind(features)
    : {
        gate: "pre",
        rule: finding.rule,
        verdict: finding.verdict,
        confidence: features.prior ?? 0,
        reasons: finding.reasons,
        caveats: [],
        conflicts: []
      }
}

/** The same of a question that was let through, as it is known to be. */
export const decideBehind = (features: GateFeatures): GateDecision => {
  const { answer, confidence, limits, prior } = features
  if (answer !== null && !answer.answerable)
    return {
      gate: "post",
      rule: null,
      verdict: "abstain_with_pointers",
      confidence: prior ?? 0,
      reasons: ["model_abstained", ...answer.notes],
      caveats: [],
      conflicts: answer.conflicts
    }
  const caveats = answer === null ? [] : caveatsOf(features, answer)
  return {
    gate: "post",
    rule: null,
    verdict: caveats.every(({ code }) => code === "from_cache") ? "answer" : "answer_with_caveats",
    confidence: confidence ?? prior ?? 0,
    reasons: answer === null ? limits.reasons : [...limits.reasons, ...answer.notes],
    caveats,
    conflicts: answer?.conflicts ?? []
  }
}

/** The decision as an answer carries it. */
export const blockOf = (
  mode: Exclude<PolicyMode, "off">,
  { limits }: GateFeatures,
  { caveats, confidence, conflicts, reasons, verdict }: GateDecision
): PolicyBlock => ({
  mode,
  verdict,
  confidence,
  calibrationVersion: limits.calibrationVersion,
  reasons: [...reasons],
  caveats: [...caveats],
  conflicts: [...conflicts]
})
