import { negationCount, negationSpans } from "./language.js"
import { memoize } from "./memoize.js"
import type { ReadText } from "./read-text.js"
import { TermSet } from "./terms.js"
import { wordwise } from "./word-boundaries.js"

/** Words that deny without a negation: "refused", "except for", "unsupported". */
const denying = wordwise(
  /\b(?:except(?:ions?)?|excluding|excludes?|excluded|unsupported|refus\w*|reject\w*|lacks?|lacking|missing|declin\w*|forbid\w*|forbidden|prohibit\w*|instead of|außer|ausgenommen|ausgeschlossen|verweiger\w*|fehl(?:t|en)|verboten|sauf|exclu\w*|refus\w*|manqu\w*|interdit\w*|salvo|excepto|rechaz\w*|falta|prohibid\w*|кроме|исключ\w*|отказ\w*|запрещ\w*)\b|以外|除了|除く|拒/iu
)

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
