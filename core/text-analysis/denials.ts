import { negationCount, negationSpans } from "./language.js"
import { memoize } from "./memoize.js"
import { phrase } from "./phrases.js"
import type { ReadText } from "./read-text.js"
import { TermSet } from "./terms.js"

/** Words that deny without a negation: "refused", "except for", "unsupported". */
const denying = phrase("denying")

/** Whether a statement denies something. */
export const isDenial = memoize(
  ({ text }: ReadText): boolean => negationCount(text) % 2 === 1 || denying().test(text)
)

/** Content words after a negation that it may concern. */
const reach = 2

/** Whether a negation of the statement stands before one of the asked terms: "Sten did not sign it". */
export const deniesAsked = (statement: ReadText, isAsked: (set: TermSet) => boolean): boolean => {
  if (negationCount(statement.text) % 2 === 0) return false
  const terms = statement.termsIn(statement.language)
  return negationSpans(statement.text).some(({ end }) => {
    const after = terms.filter(({ start }) => start >= end).slice(0, reach)
    return after.some(({ term }) => isAsked(new TermSet([term])))
  })
}
