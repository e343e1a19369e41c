import type { SpokenLanguage } from "../../language/languages/index.js"
import { sumOfUses } from "../../platform/models/index.js"
import type { Settings } from "../../platform/workspace/index.js"
import {
  type CheckedClaim,
  type Claim,
  type ClaimStatus,
  type Evidence,
  fixedTextLanguage
} from "../evidence/index.js"
import { proseOfClaims } from "../extractive/index.js"
import { abstentionText, type Outcome } from "../generation/index.js"
import type { ClaimCheck, Grounding } from "../grounding/index.js"
import { allWithheld, ungrounded } from "../policy/index.js"

/** A reply as it is shown, with the checks of its claims and the sentences that were withheld. */
export interface CheckedOutcome {
  readonly outcome: Outcome
  /** One for each claim of the outcome, in order. */
  readonly checks: ReadonlyArray<ClaimCheck>
  /** Sentences that are not shown, in their order. */
  readonly withheld: ReadonlyArray<CheckedClaim>
}

/**
 * Joins a reply with its checks. Where the workspace withholds unsupported sentences, those without support and those
 * that their sources contradict are left out, and the answer says how many; when nothing remains, the evidence has no
 * answer. Pure.
 */
export const checkedOutcome = (
  evidence: Evidence,
  draft: Outcome,
  { checks, reasons, usage }: Pick<Grounding, "checks" | "reasons" | "usage">,
  { unsupported }: Settings["policy"],
  unavailableData: number
): CheckedOutcome => {
  const outcome = {
    ...draft,
    usage: sumOfUses([draft.usage, usage]),
    reasons: [...draft.reasons, ...reasons, ...(unavailableData > 0 ? ["data_unavailable"] : [])]
  }
  const isWithheld = (place: number) => unsupported === "withhold" && isUnfounded(checks[place])
  const withheld = outcome.claims.flatMap((claim, place) =>
    isWithheld(place) ? loggedClaims([claim], checks.slice(place)) : []
  )
  if (withheld.length === 0) return { outcome, checks, withheld }
  const claims = outcome.claims.filter((_, place) => !isWithheld(place))
  const remaining = { claims, withheld, checks: checks.filter((_, place) => !isWithheld(place)) }
  const note = notes[fixedTextLanguage(evidence)](withheld.length)
  const { format } = evidence.style
  return claims.length > 0
    ? {
        ...remaining,
        outcome: {
          ...outcome,
          claims,
          answer: `${proseOfClaims(claims, format)}${format === "prose" ? " " : "\n\n"}${note}`
        }
      }
    : {
        ...remaining,
        outcome: {
          ...outcome,
          claims,
          answerable: false,
          answer: `${abstentionText(evidence, "unsupported")} ${note}`,
          reasons: [ungrounded, ...outcome.reasons, allWithheld]
        }
      }
}

/**
 * Leaves out an answer that an enforcing gate refused after it was written, and says so; its sentences count as
 * withheld.
 */
export const withoutRefused = (
  evidence: Evidence,
  { checks, outcome, withheld }: CheckedOutcome,
  reasons: ReadonlyArray<string>
): CheckedOutcome => ({
  outcome: {
    ...outcome,
    answerable: false,
    answer: abstentionText(evidence, reasons.includes(ungrounded) ? "unsupported" : "uncertain"),
    claims: []
  },
  checks: [],
  withheld: [...withheld, ...loggedClaims(outcome.claims, checks)]
})

const loggedClaims = (
  claims: ReadonlyArray<Claim>,
  checks: ReadonlyArray<ClaimCheck>
): ReadonlyArray<CheckedClaim> => claims.map((claim, place) => ({ ...claim, ...verdictOf(checks[place]) }))

/** Returns the verdict on a claim as it is shown and logged. */
export const verdictOf = (
  check: ClaimCheck | undefined
): { readonly status: ClaimStatus } & Pick<CheckedClaim, "unmatched"> => ({
  status: check?.status ?? "unsupported",
  ...(check?.unmatched === undefined ? {} : { unmatched: [...check.unmatched] })
})

/** Whether a workspace that withholds unsupported sentences leaves this one out. */
export const isUnfounded = (check: ClaimCheck | undefined): boolean =>
  check?.status === "unsupported" || check?.status === "contradicted"

/** How many statements were left out. */
const notes: Readonly<Record<SpokenLanguage, (count: number) => string>> = {
  en: (count) =>
    count === 1
      ? "(1 statement was left out because no source supports it.)"
      : `(${count} statements were left out because no source supports them.)`,
  de: (count) =>
    count === 1
      ? "(1 Aussage ohne Beleg wurde weggelassen.)"
      : `(${count} Aussagen ohne Beleg wurden weggelassen.)`,
  fr: (count) =>
    count === 1
      ? "(1 affirmation sans source a été omise.)"
      : `(${count} affirmations sans source ont été omises.)`,
  es: (count) =>
    count === 1 ? "(Se omitió 1 afirmación sin fuente.)" : `(Se omitieron ${count} afirmaciones sin fuente.)`,
  ru: (count) => `(Опущено утверждений без источника: ${count}.)`,
  ja: (count) => `（根拠のない記述を${count}件省きました。）`,
  zh: (count) => `（省略了${count}条没有依据的陈述。）`
}
