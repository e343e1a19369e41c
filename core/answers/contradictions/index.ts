/** Contradictions of the corpus: pairs of statements of two documents that cannot both hold, with their states. */
export { findContradictions } from "./find.js"
export {
  Contradiction,
  contradictionTable,
  documentOfSide,
  placeOfSide,
  type StoredContradiction
} from "./model.js"
export * as contradictionOperations from "./operations.js"
export { listContradictions } from "./service.js"
export { ContradictionStore } from "./store.js"
