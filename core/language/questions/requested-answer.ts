import { phrase, wordwise } from "../languages/index.js"
import type { ReadUnit } from "../text-analysis/index.js"
import type { Question } from "./question.js"

/**
 * Whether a unit states a condition or a circumstance: "When must a run be rejected?" is answered by "Reject a run when
 * …", "When does the pier close?" by "The pier closes in storms."
 */
export const saysCondition = (question: Question, unit: ReadUnit): boolean =>
  question.answerType === "date" &&
  ((asksCondition().test(question.text) && !asksStart().test(question.text) && condition().test(unit.text)) ||
    (asksPresent.test(question.text) && saysCircumstance(question, unit)))

/** "A holiday during summer hours" does not say when summer hours are. */
const saysCircumstance = ({ terms }: Question, unit: ReadUnit): boolean => {
  const found = circumstance().exec(unit.text)
  if (found === null) return false
  const next = unit.part(unit.text.slice(found.index + found[0].length, found.index + nextChars)).words[0]
  return !terms.some(({ term }) => term === next?.term)
}
const nextChars = 60
const asksPresent = /^when (?:does|do|is|are|must|should|may|can) /iu
/** Times that come again with what they depend on. English. */
const circumstance = wordwise(
  () =>
    /(?<!\p{L})(?:(?:after|before) (?:each|every|any)|during|in case of|in (?:(?:heavy|strong|high|bad|stormy|icy|freezing|severe|dense|thick) )?(?:storms?|gales?|fog|ice|snow|rain|frost|winds?|weather|thunderstorms?|emergenc(?:y|ies)))(?!\p{L})/iu
)
const asksCondition = wordwise(
  () =>
    /^(?:when|wann) (?:must|should|shall|may|can|do|does|am|need|(?:is|are) (?:an?|any) |muss|müssen|darf|dürfen|soll|sollte)|^когда (?:нужно|надо|можно|следует|должн\p{L}+)/iu
)
const condition = phrase("condition")
/** "When do summer hours start?" asks for a date or a time of day. */
const asksStart = wordwise(() => /\b(?:start|begin|end|finish|open|close|expire)\s*\?*$/iu)

/**
 * Whether the question asks for the latest of several dates: "When is the next meeting?", "When was it last changed?".
 */
export const asksNewest = ({ text }: Question): boolean => newest().test(text)
const newest = phrase("newest")
