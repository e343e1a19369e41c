/** Analyses a question: its kind of answer, subject, parts, and the same in the words of the documents. Pure. */

export { answerTypeTest, hasPlaceCell, namesAnother, saysPlace } from "./answer-type.js"
export { askedUnitOf, holdsUnit } from "./asked-unit.js"
export { corrected } from "./correct-spelling.js"
export { isSmallTalk } from "./filler.js"
export { closeReferences, hasOpenReference } from "./open-reference.js"
export { pageContentAsked } from "./page-content.js"
export { type AnswerType, answerTypeOf, type Question, readQuestion } from "./question.js"
export { questionFit } from "./question-features.js"
export { asksNewest, saysCondition } from "./requested-answer.js"
export { type AskedWeekday, holdsWeekday, weekdayIn } from "./weekday.js"
