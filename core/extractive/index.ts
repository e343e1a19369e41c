/**
 * Selection of passages and of the sentences, rows and items that answer a question, and the built-in model, which
 * quotes the best ones verbatim.
 */
export { proseOfClaims } from "./data-claims.js"
export { type ExtractiveReply, extract, extractiveModelId } from "./extractive.js"
export { followHop } from "./hops.js"
export { bestUnit, type Candidate } from "./score.js"
export { type Chosen, choosePassages } from "./select.js"
