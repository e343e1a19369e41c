import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import { yieldToEventLoop } from "../../platform/kernel/index.js"
import type { Settings } from "../../platform/workspace/index.js"
import type { CheckedClaim, Claim, Evidence } from "../evidence/index.js"
import { claimsAsWritten, ReplyListener } from "../generation/index.js"
import { type ClaimCheck, checkClaim, quotesOf } from "../grounding/index.js"
import type { PolicyMode } from "../policy/index.js"
import type { StructuredAnswer } from "./model.js"
import { type CheckedOutcome, isUnfounded, verdictOf } from "./withhold.js"

/**
 * Part of an answer that is known before the whole: the sources when they are chosen, and each sentence when its check
 * has ended. A later claim of the same index replaces an earlier one, and the answer replaces all of them.
 */
export type AnswerPart =
  | {
      readonly type: "sources"
      readonly sources: StructuredAnswer["sources"]
      readonly dataCalls: StructuredAnswer["dataCalls"]
    }
  | { readonly type: "claim"; readonly index: number; readonly claim: StructuredAnswer["claims"][number] }

/** Receives the parts of an answer as they are known; by default nobody does. */
export class PartListener extends Context.Reference<PartListener>()("kanon/PartListener", {
  defaultValue: (): ((part: AnswerPart) => Effect.Effect<void>) | null => null
}) {}

/** The settings of a question that decide when its claims are sent, and the claims sent so far. */
interface StreamingRun {
  readonly judge: Option.Option<unknown>
  readonly mode: PolicyMode
  readonly settings: Settings
  readonly streamed: StreamedClaims
}

/** Claims that were sent while the model wrote, with their checks. */
export interface StreamedClaims {
  readonly claims: Array<CheckedClaim>
  /** By text and citations of the claim. */
  readonly checks: Map<string, ClaimCheck>
}

const keyOf = ({ citations, text }: Claim): string => JSON.stringify([text, citations])

/** The check that a claim had while it was written, so that none is made twice. */
export const checkWhenWritten =
  ({ checks }: StreamedClaims) =>
  (claim: Claim): ClaimCheck | undefined =>
    checks.get(keyOf(claim))

/** A claim as an answer shows it. */
const shownClaim = (claim: Claim, check: ClaimCheck | undefined, evidence: Evidence): CheckedClaim => ({
  text: claim.text,
  citations: [...claim.citations],
  ...verdictOf(check),
  quotes: quotesOf(claim, evidence)
})

/**
 * Sends each sentence of a reply once it is checked, while the model writes the next one. An enforcing gate may refuse
 * the whole answer, and a judge model reads all sentences at once: with either, nothing is sent before it has decided.
 */
export const streamingClaims = <A, E, R>(
  generation: Effect.Effect<A, E, R>,
  { judge, mode, settings, streamed }: StreamingRun,
  evidence: Evidence,
  boundary: string
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const send = yield* PartListener
    if (send === null || mode === "enforce" || Option.isSome(judge)) return yield* generation
    const parts = yield* Queue.unbounded<string | null>()
    const yieldWhenDue = yieldToEventLoop()
    let read = claimsAsWritten(evidence, boundary)
    let index = 0
    const check = (claim: Claim) =>
      Effect.gen(function* () {
        yield* yieldWhenDue
        const result = checkClaim(claim, evidence)
        streamed.checks.set(keyOf(claim), result)
        if (settings.policy.unsupported === "withhold" && isUnfounded(result)) return
        const shown = shownClaim(claim, result, evidence)
        streamed.claims[index] = shown
        yield* send({ type: "claim", index, claim: shown })
        index += 1
      })
    const next = Effect.flatMap(Queue.take(parts), (part) => {
      if (part !== null) return Effect.forEach(read(part), check, { discard: true })
      // Another reply, in the place of the last one.
      read = claimsAsWritten(evidence, boundary)
      index = 0
      return Effect.void
    })
    const onReply = () => {
      Queue.unsafeOffer(parts, null)
      return (part: string) => void Queue.unsafeOffer(parts, part)
    }
    return yield* Effect.scoped(
      Effect.zipRight(
        Effect.forkScoped(Effect.forever(next)),
        Effect.provideService(generation, ReplyListener, onReply)
      )
    )
  })

/** Returns the claims of an answer and sends those that were not sent in this form while the model wrote. */
export const sendClaims = (
  { streamed }: Pick<StreamingRun, "streamed">,
  { checks, outcome }: CheckedOutcome,
  evidence: Evidence
): Effect.Effect<ReadonlyArray<CheckedClaim>> =>
  Effect.gen(function* () {
    const send = yield* PartListener
    const claims: Array<CheckedClaim> = []
    for (const [index, claim] of outcome.claims.entries()) {
      const check = checks[index]
      const before = streamed.claims[index]
      const isTold =
        before !== undefined && check === streamed.checks.get(keyOf(claim)) && keyOf(before) === keyOf(claim)
      const shown = isTold ? before : shownClaim(claim, check, evidence)
      claims.push(shown)
      if (send !== null && !isTold) yield* send({ type: "claim", index, claim: shown })
    }
    return claims
  })
