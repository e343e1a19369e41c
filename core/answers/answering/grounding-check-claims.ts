import * as Effect from "effect/Effect"
import { sentences, textUnits } from "../../language/text-analysis/index.js"
import type { Claim, Evidence } from "../evidence/index.js"
import { markersIn } from "../generation/index.js"
import { type ClaimCheck, checkClaim } from "../grounding/index.js"

/** The statements of a text: its sentences, list items and rows, without questions, code and markers of sources. */
export const claimsOfText = (text: string): ReadonlyArray<string> =>
  textUnits(text).flatMap((unit) => {
    if (unit.kind === "list" || unit.kind === "code") return []
    const parts =
      unit.kind === "row"
        ? [unit.text]
        : sentences(unit.text).map(({ end, start }) => unit.text.slice(start, end))
    return parts.flatMap((part) => {
      const bare = markersIn(part)
        .reduce((rest, id) => rest.replaceAll(`[${id}]`, ""), part)
        // Evidence shows markers defused: so do texts that were made from it.
        .replace(/\s*[[(][SD]\d{1,6}[\])]/gu, "")
        .replace(/\s+/gu, " ")
        .trim()
      return /\p{L}/u.test(bare) && !/[?？]$/u.test(bare) ? statementsWithin(bare) : []
    })
  })

/** Longer statements are cut between words, so that no single check delays other requests. */
const statementMaxChars = 2_000

const statementsWithin = (sentence: string): ReadonlyArray<string> => {
  if (sentence.length <= statementMaxChars) return [sentence]
  const space = sentence.lastIndexOf(" ", statementMaxChars)
  const isWithinPair = /[\ud800-\udbff]/.test(sentence.charAt(statementMaxChars - 1))
  const end = space > 0 ? space : statementMaxChars - (isWithinPair ? 1 : 0)
  return [sentence.slice(0, end), ...statementsWithin(sentence.slice(end).trimStart())]
}

/**
 * Returns a claim under the sources that decide it: those that carry it, else those against it, else the nearest in
 * part. `turn` runs before each check and may yield, because the checks of a long claim take long.
 */
export const attributeClaim = (
  text: string,
  candidates: ReadonlyArray<string>,
  evidence: Evidence,
  yieldWhenDue: Effect.Effect<void>
): Effect.Effect<Claim> =>
  Effect.gen(function* () {
    const check = (citations: ReadonlyArray<string>) =>
      Effect.map(yieldWhenDue, () => checkClaim({ text, citations: [...citations] }, evidence))
    const single = yield* Effect.forEach(candidates, (id) => Effect.map(check([id]), (one) => ({ id, one })))
    const of = (status: ClaimCheck["status"]) =>
      single.filter(({ one }) => one.status === status).map(({ id }) => id)
    const carrying = of("supported")
    if (carrying.length > 0) return { text, citations: carrying }
    // Two sources may carry between them what neither does alone.
    if ((yield* check(candidates)).supported) return { text, citations: [...candidates.slice(0, joinedMax)] }
    const against = of("contradicted")
    if (against.length > 0) return { text, citations: against }
    const near = of("partly")
    // A judge may find in the nearest what words alone do not show.
    return { text, citations: near.length > 0 ? near.slice(0, 1) : candidates.slice(0, joinedMax) }
  })

const joinedMax = 3
