/** The built-in model: quotes the best sentences, rows and items verbatim. */

export { proseOfClaims } from "./data-claims.js"
export { explainAnswer } from "./explain-answer.js"
export { extractAnswer, extractiveModelId, probabilityOf } from "./extractive.js"
