import type { CheckedClaim, Evidence } from "../evidence/index.js"
import { proseOfClaims } from "../extractive/index.js"
import { abstention, type Outcome } from "../generation/index.js"
import type { ClaimCheck, Grounding } from "../grounding/index.js"
import { sumOfUses } from "../models/index.js"
import type { PolicyMode } from "../policy/index.js"
import type { Settings } from "../workspace/index.js"

/** What is shown of a reply, with the checks of its claims and what was left out. */
export interface CheckedOutcome {
  readonly outcome: Outcome
  /** One for each claim of the outcome, in order. */
  readonly checks: ReadonlyArray<ClaimCheck>
  /** Sentences that are not shown, in their order. */
  readonly withheld: ReadonlyArray<CheckedClaim>
}

/** The reason of an answer of which nothing was left to show. */
const allWithheld = "unsupported_withheld"

/** Whether unsupported sentences are left out: by the setting, else where the gate enforces. */
export const withholds = (mode: PolicyMode, { unsupported }: Settings["policy"]): boolean =>
  unsupported === null ? mode === "enforce" : unsupported === "withhold"

/**
 * Joins a reply with its checks. Where unsupported sentences are withheld, those without support and those that their
 * sources contradict are left out; when nothing remains, the evidence has no answer. Pure.
 */
export const checkedOutcome = (
  evidence: Evidence,
  written: Outcome,
  { checks, reasons, usage }: Pick<Grounding, "checks" | "reasons" | "usage">,
  isWithholding: boolean,
  unavailableData: number
): CheckedOutcome => {
  const outcome = {
    ...written,
    usage: sumOfUses([written.usage, usage]),
    reasons: [...written.reasons, ...reasons, ...(unavailableData > 0 ? ["data_unavailable"] : [])]
  }
  const isHeld = (place: number) => isWithholding && isUnfounded(checks[place])
  const withheld = outcome.claims.flatMap((claim, place): ReadonlyArray<CheckedClaim> => {
    const check = checks[place]
    return isHeld(place) && check !== undefined ? [{ ...claim, status: check.status }] : []
  })
  if (withheld.length === 0) return { outcome, checks, withheld }
  const claims = outcome.claims.filter((_, place) => !isHeld(place))
  const shown = { claims, withheld, checks: checks.filter((_, place) => !isHeld(place)) }
  if (claims.length > 0) return { ...shown, outcome: { ...outcome, claims, answer: proseOfClaims(claims) } }
  const without = {
    ...outcome,
    claims,
    answerable: false,
    answer: abstention(evidence),
    reasons: [...outcome.reasons, allWithheld]
  }
  return { ...shown, outcome: without }
}

const isUnfounded = (check: ClaimCheck | undefined): boolean =>
  check?.status === "unsupported" || check?.status === "contradicted"
