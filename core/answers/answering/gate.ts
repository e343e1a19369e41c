import type { Settings } from "../../platform/workspace/index.js"
import type { Evidence } from "../evidence/index.js"
import type { GateEvidence, Governance } from "../gathering/index.js"
import type { Outcome } from "../generation/index.js"
import type { ClaimCheck } from "../grounding/index.js"
import {
  blockOf,
  type Calibration,
  decideAfterPreGate,
  decideGate,
  type EvidenceConflict,
  featuresId,
  type GateDecision,
  type GateFeatures,
  type PolicyBlock,
  type PolicyMode,
  refusedAfter
} from "../policy/index.js"
import { answerFacts, answerValues, evidenceFacts, priorValues } from "./gate-features.js"

/** The judgment of one question: its features and what follows from them. */
export interface Judgment {
  readonly features: GateFeatures
  readonly decision: GateDecision
}

/** The judgment before anything is written. Pure. */
export const judgeEvidence = (
  evidence: Evidence,
  gathered: GateEvidence,
  calibration: Calibration,
  { thresholds }: Settings["policy"],
  unavailableData = 0,
  past: { readonly isIncomplete: boolean } | null = null
): Judgment => {
  const facts = {
    ...evidenceFacts(evidence, gathered, unavailableData),
    ...(past === null ? {} : { past: { isIncomplete: past.isIncomplete } })
  }
  const values = priorValues(evidence)
  const { prior, version } = calibration
  // A threshold of one's own is not the one that the calibration was tried with.
  const isOwn = thresholds.confidence !== null && thresholds.confidence !== calibration.threshold
  const reasons = isOwn ? ["threshold_uncertified", ...calibration.reasons] : calibration.reasons
  return judge({
    format: featuresId,
    values,
    evidence: facts,
    answer: null,
    prior: prior?.probability(values) ?? null,
    confidence: null,
    limits: {
      calibrationVersion: version,
      certified: calibration.certified && !isOwn,
      reasons: [...new Set(reasons)],
      confidence: thresholds.confidence ?? calibration.threshold,
      floor: thresholds.floor,
      coverage: thresholds.coverage,
      cosine: thresholds.cosine,
      prior: prior?.threshold ?? null
    }
  })
}

/** A written answer with the results of its checks. */
export interface CheckedDraft {
  readonly outcome: Outcome
  readonly checks: ReadonlyArray<ClaimCheck>
  readonly conflicts: ReadonlyArray<EvidenceConflict>
  readonly governance: Governance
  readonly fromCache: boolean
  /** Known without an estimate; the calibration estimates it where this is null or absent. */
  readonly confidence?: number | null
  /** Data calls that gave no rows. */
  readonly unavailableData?: number
  /** Unsupported sentences that were left out. */
  readonly withheldClaims?: number
}

/** The judgment of what was written; what fired before still decides. Pure. */
export const judgeAnswer = (
  evidence: Evidence,
  { decision, features }: Judgment,
  calibration: Calibration,
  {
    checks,
    confidence,
    conflicts,
    fromCache,
    governance,
    outcome,
    unavailableData,
    withheldClaims
  }: CheckedDraft
): Judgment => {
  const values = answerValues(evidence, features.values, outcome, checks, conflicts)
  const featuresOfAnswer: GateFeatures = {
    format: features.format,
    values,
    evidence: features.evidence,
    answer: answerFacts(
      evidence,
      outcome,
      checks,
      conflicts,
      governance,
      fromCache,
      unavailableData,
      withheldClaims
    ),
    prior: features.prior,
    confidence: outcome.answerable ? (confidence ?? calibration.confidence(values)) : null,
    limits: features.limits
  }
  // The rules before generation are not run again: their evidence has not changed since.
  return {
    features: featuresOfAnswer,
    decision: decision.gate === "pre" ? decision : decideAfterPreGate(featuresOfAnswer)
  }
}

const judge = (features: GateFeatures): Judgment => ({ features, decision: decideGate(features) })

/** The judgment as an answer carries it. */
export const policyBlock = (
  mode: Exclude<PolicyMode, "off">,
  { decision, features }: Judgment
): PolicyBlock => blockOf(mode, features, decision)

/** Whether the gate enforces and abstains from what was written. */
export const isRefused = (mode: PolicyMode, judgment: Judgment | null): boolean =>
  mode === "enforce" &&
  judgment?.features.answer?.answerable === true &&
  judgment.decision.reasons.some((reason) => refusedAfter.has(reason))
