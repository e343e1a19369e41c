import type { Language } from "./language.js"
import { type Analyser, contentTerms } from "./terms.js"

/**
 * Whether a claim and its evidence have two names around the same verb in reverse order: "Orlin depends on Merrow",
 * "Merrow depends on Orlin". A passive on one side restores the order.
 */
export const isArgumentTurned = (
  claim: string,
  evidence: string,
  names: ReadonlyArray<string>,
  analyse: Analyser,
  language: Language
): boolean =>
  names.some((one) =>
    names.some((other) => {
      if (one === other || one.includes(other) || other.includes(one)) return false
      const [said, given] = [between(claim, one, other), between(evidence, other, one)]
      if (said === undefined || given === undefined) return false
      const terms = contentTerms(analyse, given, language).map(({ term }) => term)
      const shared = contentTerms(analyse, said, language).some(({ term }) => terms.includes(term))
      return shared && passive.test(said) === passive.test(given)
    })
  )

const passive =
  /\b(?:is|was|are|were|been|being|be|wird|wurde|werden|wurden|ist|est|fut|été|fue|es)\b.*\b(?:by|from|von|durch|par|de|por)\b/iu

/** Returns the text between two names that each occur once, in this order and close together. */
const between = (text: string, first: string, second: string): string | undefined => {
  const [from, to] = [text.indexOf(first), text.indexOf(second)]
  if (from < 0 || to < 0 || text.indexOf(first, from + 1) >= 0 || text.indexOf(second, to + 1) >= 0)
    return undefined
  const start = from + first.length
  return to <= start || to - start > reachChars ? undefined : text.slice(start, to)
}

const reachChars = 80
