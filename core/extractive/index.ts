/**
 * Which passages, and which sentences, rows and items of them, answer a question: what each is worth, the passages
 * picked from the pool, and the built-in model, which quotes the best word for word.
 */
export { type ExtractiveReply, extract, extractiveModelId } from "./extractive.js"
export { followHop } from "./hops.js"
export { bestUnit, type Candidate } from "./score.js"
export { type Chosen, choosePassages } from "./select.js"
