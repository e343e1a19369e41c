/** Statements of the evidence scored as answers, and the passages that a model of any kind is given. */

export { amendmentsOf } from "./amendments.js"
export { answersOnPage, introducedBy } from "./answered-question.js"
export { type ChosenPassage, choosePassages } from "./choose-passages.js"
export { datedPagesOf } from "./dated-page.js"
export { datedLabelOf, lacksSubject, statementsOf } from "./features.js"
export { headTextOf } from "./head-text.js"
export { asksVersion } from "./other-value.js"
export {
  answerFeatures,
  featuresOf,
  furtherMargin,
  isRefused,
  type ScoredStatement,
  scoredAnswer
} from "./scored-answer.js"
export { statementFeatures } from "./statement-features.js"
