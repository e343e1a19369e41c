import type { Question } from "./question.js"
import type { ReadUnit } from "./read-text.js"
import { wordwise } from "./wordwise.js"

/**
 * "How do I deploy?" is answered by the list under "How to deploy", "What are the security rules?" by that under
 * "Security rules": their items need not say it again. Tells whether the unit is a list that may answer so.
 */
export const mayAnswerAsList = ({ answerType, text }: Question, { kind }: ReadUnit): boolean =>
  kind === "list" && (answerType === "procedure" || severalAsked().test(text))

const severalAsked = wordwise(
  /^(?:what|which) are\b|^(?:list|name)\b|^(?:was|welche[s]?) sind\b|^quel(?:le)?s sont\b|^cuáles son\b/iu
)

/** What such a list gains: where a subject is to be defined, its first sentence has up to 0.8. */
export const askedListBonus = ({ subject }: Question): number => (subject === null ? 0.4 : 1.3)
