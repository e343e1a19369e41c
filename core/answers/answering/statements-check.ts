import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readQuestion } from "../../language/questions/index.js"
import type { TextCache } from "../../language/text-analysis/index.js"
import { analyse } from "../../language/tokenization/index.js"
import { type ThesaurusNames, thesaurusOf } from "../../language/word-relations/index.js"
import { type InvalidInput, yieldToEventLoop } from "../../platform/kernel/index.js"
import { findConflictsInTurns } from "../conflicts/index.js"
import { type Claim, type Evidence, idfOf, makeEvidence } from "../evidence/index.js"
import { type Governance, retiredOf } from "../gathering/index.js"
import { type ClaimCheck, checkClaim, noteChecks } from "../grounding/index.js"
import type { PolicyBlock } from "../policy/index.js"
import { attributeClaim } from "./grounding-check-claims.js"
import type { CheckEvidence } from "./grounding-check-evidence.js"

/** A text and what may carry its statements, as plain data, which a thread takes. */
export interface TextToCheck {
  readonly text: string
  /** Its statements, each once. */
  readonly statements: ReadonlyArray<string>
  readonly found: CheckEvidence
  readonly governance: Governance
  readonly thesaurus: ThesaurusNames
}

/** The statements under the sources that decide them, a check of each, and where the sources contradict each other. */
export interface CheckedStatements {
  readonly claims: ReadonlyArray<Claim>
  readonly checks: ReadonlyArray<ClaimCheck>
  readonly conflicts: PolicyBlock["conflicts"]
}

/**
 * Checks the statements of long texts without blocking the main thread, within some time and memory. Without an
 * implementation they are checked in place.
 */
export class LongClaims extends Context.Tag("kanon/LongClaims")<
  LongClaims,
  { readonly check: (given: TextToCheck) => Effect.Effect<CheckedStatements, InvalidInput> }
>() {}

/** Length in UTF-16 units from which a text is long: the check of a statement of so many takes some hundredths of a second. */
const longChars = 400

/** Checks the statements of a text, of a long one elsewhere where that is possible; the evidence knows the checks then. */
export const statementsChecked = (
  given: TextToCheck,
  evidence: Evidence
): Effect.Effect<CheckedStatements, InvalidInput> =>
  Effect.gen(function* () {
    const elsewhere =
      given.text.length < longChars ? null : Option.getOrNull(yield* Effect.serviceOption(LongClaims))
    if (elsewhere === null) return yield* checkedOn(evidence, given)
    const checked = yield* elsewhere.check(given)
    noteChecks(evidence, checked.claims, checked.checks)
    return checked
  })

/** The same where the evidence has to be made first, as in a thread. */
export const checkStatements = (given: TextToCheck): Effect.Effect<CheckedStatements> =>
  Effect.flatMap(evidenceOfCheck(given), (evidence) => checkedOn(evidence, given))

const checkedOn = (
  read: Evidence,
  { found, governance, statements }: TextToCheck
): Effect.Effect<CheckedStatements> =>
  Effect.gen(function* () {
    const yieldWhenDue = yieldToEventLoop()
    const ids = new Map(read.sources.map(({ id, passage }) => [passage.label, id]))
    const claims = yield* Effect.forEach(statements, (text, at) =>
      attributeClaim(
        text,
        (found.candidates[at] ?? []).flatMap((label) => ids.get(label) ?? []),
        read,
        yieldWhenDue
      )
    )
    const checks = yield* Effect.forEach(claims, (claim) =>
      Effect.map(yieldWhenDue, () => checkClaim(claim, read))
    )
    const evidence = { ...read, retired: retiredOf(governance) }
    return { claims, checks, conflicts: [...(yield* findConflictsInTurns(evidence, claims, governance))] }
  })

/** A text is read as one question as far as questions go. */
const questionChars = 4000

/** Makes the evidence of a check; the texts are cached with it unless a cache is given. */
export const evidenceOfCheck = (
  { found, text, thesaurus }: Pick<TextToCheck, "found" | "text" | "thesaurus">,
  texts?: TextCache
): Effect.Effect<Evidence> =>
  Effect.map(thesaurusOf(thesaurus), (relations) =>
    makeEvidence({
      question: readQuestion(text.slice(0, questionChars), analyse),
      passages: found.passages,
      idf: idfOf(found.termWeights),
      analyse,
      ...(texts === undefined ? {} : { texts }),
      thesaurus: relations
    })
  )
