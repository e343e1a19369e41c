import type { GateFeatures } from "./gate-features.js"

/** Rules evaluated before generation, in order; the first that fires decides. */
export const preGateRules = [
  "no_evidence",
  "missing_subject",
  "ambiguous_entity",
  "unknown_term",
  "insufficient_evidence",
  "low_prior"
] as const
/** Name of a rule evaluated before generation. */
export type PreGateRule = (typeof preGateRules)[number]

/** The rule that fired, and the resulting verdict. */
export interface PreGateFinding {
  readonly rule: PreGateRule
  readonly verdict: "clarify" | "abstain_with_pointers"
  /** One reason per occurrence, such as `unknown_term:KX-2041`. */
  readonly reasons: ReadonlyArray<string>
}

/** Observed values of a rule, for display. */
export interface RuleReading {
  readonly rule: PreGateRule
  readonly fired: boolean
  /** Whether the rule was skipped because rows of data provide the evidence. */
  readonly skipped: boolean
  readonly why: string
}

/** Returns the first rule that fires, or null. Pure. */
export const preGate = (features: GateFeatures): PreGateFinding | null => {
  for (const rule of preGateRules) {
    const reasons = isSkipped(rule, features) ? [] : rules[rule].reasons(features)
    if (reasons.length > 0) return { rule, verdict: rules[rule].verdict, reasons }
  }
  return null
}

/** Returns every rule with its observed values, including those after the one that decided. */
export const readRules = (features: GateFeatures): ReadonlyArray<RuleReading> =>
  preGateRules.map((rule) => {
    const skipped = isSkipped(rule, features)
    return {
      rule,
      skipped,
      fired: !skipped && rules[rule].reasons(features).length > 0,
      why: rules[rule].why(features)
    }
  })

/** Returns whether fetched data makes a rule about missing passages irrelevant. */
const isSkipped = (rule: PreGateRule, { evidence }: GateFeatures): boolean =>
  evidence.dataRows > 0 &&
  (rule === "unknown_term" || rule === "insufficient_evidence" || rule === "low_prior")

interface Rule {
  readonly verdict: PreGateFinding["verdict"]
  readonly reasons: (features: GateFeatures) => ReadonlyArray<string>
  readonly why: (features: GateFeatures) => string
}

const when = (condition: boolean, reason: PreGateRule): ReadonlyArray<string> => (condition ? [reason] : [])

const rules: Readonly<Record<PreGateRule, Rule>> = {
  no_evidence: {
    verdict: "abstain_with_pointers",
    reasons: ({ evidence: { dataRows, sources } }) => when(sources === 0 && dataRows === 0, "no_evidence"),
    why: ({ evidence: { dataRows, sources } }) => `${sources} passages, ${dataRows} rows of data`
  },
  missing_subject: {
    verdict: "clarify",
    reasons: ({ evidence }) => when(!evidence.hasSubject, "missing_subject"),
    why: ({ evidence }) => (evidence.hasSubject ? "the question names a subject" : "no subject")
  },
  ambiguous_entity: {
    verdict: "clarify",
    reasons: ({ evidence }) => evidence.ambiguous.map(({ surface }) => `ambiguous_entity:${surface}`),
    why: ({ evidence }) => `${evidence.ambiguous.length} names with several meanings`
  },
  unknown_term: {
    verdict: "abstain_with_pointers",
    reasons: ({ evidence }) => evidence.unknownTerms.map((term) => `unknown_term:${term}`),
    why: ({ evidence }) => `${evidence.unknownTerms.length} names, codes or phrases that no document has`
  },
  insufficient_evidence: {
    verdict: "abstain_with_pointers",
    reasons: ({ evidence: { bestCosine, coverage }, limits }) =>
      when(
        coverage < limits.coverage &&
          (bestCosine === null || (limits.cosine !== null && bestCosine < limits.cosine)),
        "insufficient_evidence"
      ),
    why: ({ evidence: { bestCosine, coverage }, limits }) =>
      `coverage ${coverage.toFixed(2)} of at least ${limits.coverage.toFixed(2)}${
        bestCosine === null ? "" : `, best cosine ${bestCosine.toFixed(2)}`
      }`
  },
  low_prior: {
    verdict: "abstain_with_pointers",
    reasons: ({ limits, prior }) =>
      when(prior !== null && limits.prior !== null && prior < limits.prior, "low_prior"),
    why: ({ limits, prior }) =>
      prior === null || limits.prior === null
        ? "the calibration judges no question before its answer"
        : `prior ${prior.toFixed(2)} of at least ${limits.prior.toFixed(2)}`
  }
}
