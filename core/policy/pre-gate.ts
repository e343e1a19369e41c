import type { GateFeatures } from "./gate-features.js"

/** The rules that speak before an answer is written, in their order: the first that fires decides. */
export const preGateRules = [
  "no_evidence",
  "missing_subject",
  "ambiguous_entity",
  "unknown_term",
  "insufficient_evidence",
  "low_prior"
] as const
/** The name of a rule that speaks before an answer is written. */
export type PreGateRule = (typeof preGateRules)[number]

/** The rule that stops a question, and what is done instead of answering. */
export interface PreGateFinding {
  readonly rule: PreGateRule
  readonly verdict: "clarify" | "abstain_with_pointers"
  /** One for each thing that the rule fired for, such as `unknown_term:KX-2041`. */
  readonly reasons: ReadonlyArray<string>
}

/** What the rules look at, for each rule: so that a person sees how near the others were. */
export interface RuleReading {
  readonly rule: PreGateRule
  readonly fired: boolean
  /** Not asked: rows of data stand for the evidence that it would miss. */
  readonly skipped: boolean
  readonly why: string
}

/** The first rule that fires; null lets the question through. Pure. */
export const preGate = (features: GateFeatures): PreGateFinding | null => {
  for (const rule of preGateRules) {
    const reasons = isSkipped(rule, features) ? [] : rules[rule].reasons(features)
    if (reasons.length > 0) return { rule, verdict: rules[rule].verdict, reasons }
  }
  return null
}

/** Every rule with what it saw; those behind the one that decided are read all the same. */
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

/** Data that was fetched for what the question names is evidence that no passage has to hold. */
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
    why: ({ evidence }) => `${evidence.unknownTerms.length} names, codes or phrases that stand nowhere`
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
