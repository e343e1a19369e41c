import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { yieldToEventLoop } from "../../platform/kernel/index.js"
import type { Judge, Judgement, Usage } from "../../platform/models/index.js"
import type { Claim, Evidence } from "../evidence/index.js"
import { type ClaimCheck, checkClaim, checkJudged } from "./grounding.js"

/** Result of a grounding check: verdicts, verifier and usage. */
export interface Grounding {
  /** One per claim, in order. */
  readonly checks: ReadonlyArray<ClaimCheck>
  readonly verified: number
  readonly total: number
  /** `judge_unavailable` when the judge was called and failed. */
  readonly reasons: ReadonlyArray<string>
  readonly usage: Usage
}

/**
 * Checks each claim against its citations with the built-in verifier and, if configured, the judge, in one call. When
 * the judge fails, the built-in verdicts are used and the reason is reported. Only claims with citations are sent to
 * it. `known` gives the check that a claim had before, on the same evidence.
 */
export const groundClaims = (
  claims: ReadonlyArray<Claim>,
  evidence: Evidence,
  judge: Option.Option<Context.Tag.Service<Judge>>,
  known: (claim: Claim) => ClaimCheck | undefined = () => undefined
): Effect.Effect<Grounding> =>
  Effect.gen(function* () {
    const yieldWhenDue = yieldToEventLoop()
    const lexical = yield* Effect.forEach(claims, (claim) =>
      Effect.map(yieldWhenDue, () => known(claim) ?? checkClaim(claim, evidence))
    )
    const citingClaims = claims.filter(({ citations }) => textsOf(citations, evidence).length > 0)
    if (Option.isNone(judge) || citingClaims.length === 0) return grounding(lexical, [], nothing)
    const judgeInputs = citingClaims.map(({ citations, text }) => ({
      text,
      evidence: textsOf(citations, evidence)
    }))
    return yield* judge.value.judge(judgeInputs).pipe(
      Effect.flatMap(({ judgements, usage }) => {
        const byClaim = new Map(citingClaims.map((claim, at) => [claim, judgements[at]]))
        const checks = Effect.forEach(claims, (claim, at) =>
          Effect.map(yieldWhenDue, () => {
            const judgement = byClaim.get(claim)
            return judgement === undefined
              ? (lexical[at] ?? checkClaim(claim, evidence))
              : checkJudged(claim, evidence, opinionOf(judgement, claim, evidence), judgement.quote)
          })
        )
        return Effect.map(checks, (all) => grounding(all, [], usage))
      }),
      Effect.catchAll((failure) =>
        Effect.as(
          Effect.logWarning(`The judge is unavailable: ${failure.message}`),
          grounding(lexical, ["judge_unavailable"], failure.usage ?? nothing)
        )
      )
    )
  })

const nothing: Usage = { inputTokens: 0, outputTokens: 0, costUsd: "0", estimated: false }

const grounding = (
  checks: ReadonlyArray<ClaimCheck>,
  reasons: ReadonlyArray<string>,
  usage: Usage
): Grounding => ({ ...withCounts(checks), reasons, usage })

/** Adds the contract's counts to checks. */
export const withCounts = (
  checks: ReadonlyArray<ClaimCheck>
): Pick<Grounding, "checks" | "verified" | "total"> => ({
  checks,
  verified: checks.filter(({ supported }) => supported).length,
  total: checks.length
})

/** A quote that does not occur in the cited sources does not count, whatever the judge's verdict. */
const opinionOf = ({ quote, supported }: Judgement, { citations }: Claim, evidence: Evidence) => {
  const words = collapsed(quote)
  const isThere =
    words !== "" && textsOf(citations, evidence).some(({ text }) => collapsed(text).includes(words))
  return isThere ? supported : "no"
}

const collapsed = (text: string): string => text.replace(/\s+/gu, " ").trim()

const textsOf = (ids: ReadonlyArray<string>, evidence: Evidence) =>
  [...new Set(ids)].flatMap((id) => {
    const source = evidence.sources.find((one) => one.id === id)
    if (source !== undefined) return [{ id, text: source.text }]
    const data = evidence.data.find((one) => one.id === id)
    if (data === undefined) return []
    return [{ id, text: data.rows.map((row) => JSON.stringify(row)).join("\n") }]
  })

/** Returns the grounding of claims that were already checked on the same evidence. */
export const checkedBefore = (checks: ReadonlyArray<ClaimCheck>): Grounding => grounding(checks, [], nothing)
