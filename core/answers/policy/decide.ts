import type { PolicyDecision } from "./decision.js"
import type { GateFeatures } from "./gate-features.js"
import type { Caveat, EvidenceConflict, PolicyBlock, PolicyMode, Verdict } from "./model.js"
import { caveatsOf, historyIncomplete, unavailableCaveats } from "./post-gate.js"
import { type PreGateRule, preGate } from "./pre-gate.js"

/** The gate's decision on a set of features. */
export interface GateDecision {
  /** The gate that decided. */
  readonly gate: "pre" | "post"
  /** The rule that fired before generation; null otherwise. */
  readonly rule: PreGateRule | null
  readonly verdict: Verdict
  /** Estimated probability that the answer is right, or would have been. */
  readonly confidence: number
  readonly reasons: ReadonlyArray<string>
  readonly caveats: ReadonlyArray<Caveat>
  readonly conflicts: ReadonlyArray<EvidenceConflict>
}

/** Reason of an abstention because the confidence in what was written is too low. */
const confidenceFloor = "confidence_floor"
/** Reason of an abstention because no claim of what was written is supported. */
export const ungrounded = "ungrounded"
/** Reasons for which the gate abstains from what was written: an enforcing one leaves it out. */
export const refusedAfter: ReadonlySet<string> = new Set([confidenceFloor, ungrounded])
/** Reason that tells that the workspace left all of an answer out, before the gate saw it. */
export const allWithheld = "unsupported_withheld"
/** Reason that a model gives in prose. */
const declined = "model_declined"

/**
 * Decides from features alone, independent of mode, clock and store. A rule that fires before generation decides even
 * if an answer was written. Otherwise the verdict is `answer` if no caveat but `from_cache` applies. Without an
 * answer to judge, the question passes as `answer`.
 */
export const decideGate = (features: GateFeatures): GateDecision => {
  const finding = preGate(features)
  return finding === null
    ? decideAfterPreGate(features)
    : aboutThen(features, {
        gate: "pre",
        rule: finding.rule,
        verdict: finding.verdict,
        confidence: features.prior ?? 0,
        reasons: finding.reasons,
        caveats: unavailableCaveats(features.evidence.unavailableData ?? 0),
        conflicts: []
      })
}

/** Reason that tells that the question is about an earlier moment. */
export const asOfReason = "as_of"

/** Adds to a decision what a question about an earlier moment has to say. */
const aboutThen = ({ evidence: { past } }: GateFeatures, decision: GateDecision): GateDecision => {
  if (past === undefined) return decision
  const reasons = [...decision.reasons, asOfReason]
  if (!past.isIncomplete) return { ...decision, reasons }
  return {
    ...decision,
    reasons,
    verdict: decision.verdict === "answer" ? "answer_with_caveats" : decision.verdict,
    caveats: [...decision.caveats, historyIncomplete]
  }
}

/** Decides a question that passed the pre-gate. */
export const decideAfterPreGate = (features: GateFeatures): GateDecision =>
  aboutThen(features, decidedAfterPreGate(features))

const decidedAfterPreGate = (features: GateFeatures): GateDecision => {
  const { answer, confidence, limits, prior } = features
  // Without an answer, what could not be read is all that a reader has to beware of.
  const abstained = (reasons: ReadonlyArray<string>, estimate: number): GateDecision => ({
    gate: "post",
    rule: null,
    verdict: "abstain_with_pointers",
    confidence: estimate,
    reasons,
    caveats: unavailableCaveats(answer?.unavailableData ?? 0),
    conflicts: answer?.conflicts ?? []
  })
  if (answer !== null && !answer.answerable)
    return abstained(
      answer.notes.some((note) => note === declined || note === ungrounded)
        ? answer.notes
        : ["model_abstained", ...answer.notes],
      prior ?? 0
    )
  if (answer?.isUngrounded === true)
    return abstained([ungrounded, ...limits.reasons, ...answer.notes], confidence ?? prior ?? 0)
  if (answer !== null && confidence !== null && confidence < (limits.floor ?? 0))
    return abstained([confidenceFloor, ...limits.reasons, ...answer.notes], confidence)
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

/** Returns the policy block of an answer. */
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

/** Returns whether the features of a decision give the same decision again. */
export const isReplayable = ({
  caveats,
  confidence,
  features,
  gate,
  reasons,
  verdict
}: PolicyDecision): boolean => {
  const decision = decideGate(features)
  return (
    decision.gate === gate &&
    decision.verdict === verdict &&
    decision.confidence === confidence &&
    decision.reasons.join("\n") === reasons.join("\n") &&
    decision.caveats.map(({ code }) => code).join() === caveats.map(({ code }) => code).join()
  )
}
