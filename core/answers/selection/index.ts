/** Statements of the evidence scored as answers, and the passages that a model of any kind is given. */

export { amendmentsOf } from "./amendments.js"
export { answersOnPage, introducedBy, sentenceBehind } from "./answered-question.js"
export { type ChangesAsked, changesAsked } from "./changes-asked.js"
export { type ChosenPassage, choosePassages } from "./choose-passages.js"
export { datedPagesOf } from "./dated-page.js"
export { datedLabelOf, lacksSubject, statementsOf } from "./features.js"
export { headTextOf } from "./head-text.js"
export { asksVersion } from "./other-value.js"
export { asksFormer, nameAskedBefore, versionAsked, withoutRelativeTime } from "./relative-time.js"
export {
  answerFeatures,
  byRank,
  featuresOf,
  furtherMargin,
  isRefused,
  type ScoredStatement,
  scoredAnswer
} from "./scored-answer.js"
export { statementFeatures } from "./statement-features.js"
export { isSaidOfThen, lastDayAsked, withoutTime } from "./valid-time.js"
