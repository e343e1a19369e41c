import { phrase, wordwise } from "../languages/index.js"
import type { ReadUnit, Row } from "../text-analysis/index.js"
import { isCurrency } from "../values/index.js"
import type { Question } from "./question.js"

/**
 * Whether the unit is a list that may answer the question through its heading: "How do I deploy?" is answered by the
 * list under "How to deploy", whose items need not repeat it.
 */
export const mayAnswerAsList = ({ answerType, text }: Question, { kind }: ReadUnit): boolean =>
  kind === "list" && (answerType === "procedure" || severalAsked().test(text))

const severalAsked = wordwise(
  /^(?:what|which) are\b|^(?:list|name)\b|^(?:was|welche[s]?) sind\b|^quel(?:le)?s sont\b|^cuáles son\b|^(?:какие|каковы|перечислите|назовите)\b|哪些/iu
)

/**
 * Returns the bonus for a heading that repeats the question, or a reply to the same question; for definitions, the
 * first sentence earns up to 0.8.
 */
export const askedAboveBonus = ({ subject }: Question): number => (subject === null ? 0.4 : 1.3)

/** "Up to 220 EUR" states a limit without the word. */
export const saysBound = ({ focus, focusModifiers }: Question, { text }: ReadUnit): boolean =>
  [focus, ...focusModifiers].some((term) => term === "limit" || term === "maximum") && upperBound().test(text)
const upperBound = phrase("upperBound")

/** Whether a "who" question meets a sentence without a name that does not contain the activity. */
export const lacksName = (
  { predicate, question }: { readonly predicate: number | null; readonly question: Question },
  hasType: boolean,
  row: Row
): boolean => question.answerType === "person" && !hasType && predicate !== null && row[predicate] === 0

/** Returns the term of the first word after "who"; null when unknown. */
export const predicateOf = ({ answerType, terms, text }: Question): string | null =>
  answerType === "person" && opensWithWho().test(text) ? (terms[0]?.term ?? null) : null
const opensWithWho = wordwise(/^(?:who|wer|qui|quién(?:es)?|кто)\b/iu)

/** Whether it is a definition question about a person ("Who is the chief auditor?"). */
export const asksWho = ({ subject, text }: Question): boolean => subject !== null && opensWithWho().test(text)

/** Whether a unit states a purpose ("To avoid delays", "as a means to …"), which answers a question for a reason. */
export const saysPurpose = ({ text }: ReadUnit): boolean => purpose().test(text)
const purpose = phrase("purpose")

/**
 * Returns the terms of the thing that an attribute belongs to ("the recovery of *mercury*", "are *tyres* accepted?");
 * empty when unknown, or when it is a name, since names are looked up as a whole.
 */
export const thingOf = (question: Question): ReadonlyArray<string> => {
  const { anchors, answerType, focus, terms, text } = question
  const named =
    answerType === "yes-no"
      ? subjectOfVerb().exec(text)?.[1]
      : focus === null
        ? undefined
        : ofThing.exec(text)?.[1]
  if (named === undefined || anchors.some((anchor) => named.includes(anchor.text))) return []
  const words = named.split(/[^\p{L}\p{N}]+/u)
  return terms.flatMap(({ surface, term }) => (words.includes(surface) ? [term] : []))
}
const subjectOfVerb = wordwise(
  /^(?:is|are|was|were|do|does|did|has|have|can|may|must|will|should)(?:n['’]t)? (?:the |an? |any |our |all )?(\p{L}[\p{L}-]*)(?= \p{L})/iu
)
const ofThing = /^[^,]* (?:of|for) (?:the |an? |our )?([^,?!]{2,50}?)\s*[?!.]*$/iu

/** Whether the question asks for another person than the one it names ("Who was manager before Maria Huber?"). */
export const asksForOther = ({ answerType, text }: Question): boolean =>
  answerType === "person" && beforeSomebody.test(text)
const beforeSomebody =
  /(?<!\p{L})(?:before|after|besides|other than|instead of|vor|nach|außer|avant|après|antes de|después de) \p{Lu}\p{Ll}/u

/** Whether a unit states a condition: "When must a run be rejected?" is answered by "Reject a run when …". */
export const saysCondition = ({ answerType, text }: Question, unit: ReadUnit): boolean =>
  answerType === "date" && asksCondition().test(text) && condition().test(unit.text)
const asksCondition = wordwise(
  /^(?:when|wann) (?:must|should|shall|may|can|do|does|am|need|(?:is|are) (?:an?|any) |muss|müssen|darf|dürfen|soll|sollte)|^когда (?:нужно|надо|можно|следует|должн\p{L}+)/iu
)
const condition = phrase("condition")

/** Whether a unit states a price without the word: "Bought for 68,400 euros". */
export const saysPrice = ({ text, values }: ReadUnit): boolean =>
  bought().test(text) && values.some((value) => value.kind === "quantity" && isCurrency(value.dimension))
const bought = wordwise(
  /\b(?:bought|purchased|acquired|ordered|sold|gekauft|bestellt|verkauft|acheté\p{L}*|vendu\p{L}*|comprad[oa]s?|купл\p{L}+|куп[иия]\p{L}*|прода\p{L}+|заказан\p{L}*) .{0,60}?(?:\bfor|\bat|für|pour|por|за)(?= )/iu
)

/**
 * Returns the thing with a price, the words before the verb: "The service contract costs 5,150 euros"; null when there
 * is none.
 */
export const pricedIn = ({ text }: ReadUnit): string | null =>
  /(?:^|[.,;:()] |\band |\bund )([^.,;:()]{3,60}?) (?:costs?|kostet|kosten|coûte|cuesta|стоит|стоят) /iu.exec(
    text
  )?.[1] ?? null

/**
 * Whether the question asks for the latest of several dates: "When is the next meeting?", "When was it last changed?".
 */
export const asksNewest = ({ text }: Question): boolean => newest().test(text)
const newest = phrase("newest")
