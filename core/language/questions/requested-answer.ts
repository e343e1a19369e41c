import { phrase, wordwise } from "../languages/index.js"
import type { ReadUnit } from "../text-analysis/index.js"
import type { Question } from "./question.js"

/** Whether a unit states a condition: "When must a run be rejected?" is answered by "Reject a run when …". */
export const saysCondition = ({ answerType, text }: Question, unit: ReadUnit): boolean =>
  answerType === "date" &&
  asksCondition().test(text) &&
  !asksStart().test(text) &&
  condition().test(unit.text)
const asksCondition = wordwise(
  /^(?:when|wann) (?:must|should|shall|may|can|do|does|am|need|(?:is|are) (?:an?|any) |muss|müssen|darf|dürfen|soll|sollte)|^когда (?:нужно|надо|можно|следует|должн\p{L}+)/iu
)
const condition = phrase("condition")
/** "When do summer hours start?" asks for a date or a time of day. */
const asksStart = wordwise(/\b(?:start|begin|end|finish|open|close|expire)\s*\?*$/iu)

/**
 * Whether the question asks for the latest of several dates: "When is the next meeting?", "When was it last changed?".
 */
export const asksNewest = ({ text }: Question): boolean => newest().test(text)
const newest = phrase("newest")
