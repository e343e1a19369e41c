import type { Question } from "./question.js"
import type { ReadUnit } from "./read-text.js"
import type { Row } from "./sought.js"
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

/** What that gains, or a reply to the same question: where a subject is to be defined, its first sentence has up to 0.8. */
export const askedAboveBonus = ({ subject }: Question): number => (subject === null ? 0.4 : 1.3)

/** "Up to 220 EUR" states a limit without the word. */
export const saysBound = ({ focus, focusModifiers }: Question, { text }: ReadUnit): boolean =>
  [focus, ...focusModifiers].some((term) => term === "limit" || term === "maximum") && upperBound().test(text)
const upperBound = wordwise(
  /\b(?:up to|at most|no more than|not exceed\w*|bis zu|höchstens|jusqu['’]à|hasta)\b/iu
)

/** Who asks who does something is not served by a sentence that names nobody and does not speak of the doing. */
export const namesNobody = (
  { predicate, question }: { readonly predicate: number | null; readonly question: Question },
  hasType: boolean,
  row: Row
): boolean => question.answerType === "person" && !hasType && predicate !== null && row[predicate] === 0

/** The term of the first word behind "who"; null where that is not told. */
export const predicateOf = ({ answerType, terms, text }: Question): string | null =>
  answerType === "person" && opensWithWho().test(text) ? (terms[0]?.term ?? null) : null
const opensWithWho = wordwise(/^(?:who|wer|qui|quién(?:es)?)\b/iu)

/** A definition question about somebody ("Who is the chief auditor?"). */
export const asksWho = ({ subject, text }: Question): boolean => subject !== null && opensWithWho().test(text)

/** "To avoid delays", "as a means to …": a purpose, where a reason is asked for. */
export const saysPurpose = ({ text }: ReadUnit): boolean => purpose().test(text)
const purpose = wordwise(
  /\b(?:as a (?:means|way)|to (?:avoid|prevent|help|maintain|keep|ensure|allow|reduce|protect|save|make|improve|get|gain|support|provide|enable|stop|escape|secure|increase|meet|comply)|zur? \p{Lu}\p{L}+ung|pour (?:\p{L}+er|\p{L}+ir)|para \p{L}+[aei]r)\b/iu
)

/** "Up to which height was it allowed?" asks for what no longer holds as much as for what does. */
export const asksOfPast = ({ text }: Question): boolean => past().test(text)
const past = wordwise(
  /\b(?:was|were|did|had|used to|formerly|previously|earlier|war|waren|wurden?|galt|galten|früher|ehemals|était|étaient|avait|autrefois|era|eran|fue|antes)\b/iu
)
