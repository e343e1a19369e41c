/**
 * Selection of passages and of the sentences, rows and items that answer a question, and the built-in model, which
 * quotes the best ones verbatim.
 */

export {
  answerFeatures,
  failsValueCheck,
  featuresOf,
  furtherMargin,
  scoredAnswer
} from "./answer.js"
export { proseOfClaims } from "./data-claims.js"
export { explainAnswer } from "./explain-answer.js"
export { type ExtractiveReply, extractAnswer, extractiveModelId, probabilityOf } from "./extractive.js"
export { statementsOf } from "./features.js"
export { type ChosenPassage, choosePassages } from "./select.js"
export { statementFeatures } from "./statement-features.js"
