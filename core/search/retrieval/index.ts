/**
 * Hybrid retrieval of passages: lexical and vector hits fused by rank, weighted by governance, optionally reranked.
 */
export { vectorPassagesMin } from "../vectors/index.js"
export { documentsAsOf } from "./as-of.js"
export { type Fused, fuse, type RankedList } from "./fuse.js"
export * from "./model.js"
export * as retrievalOperations from "./operations.js"
export {
  allowedLabels,
  isNarrow,
  type Retrieval,
  type RetrievalRequest,
  type RetrievalTuning,
  retrieve
} from "./retrieve.js"
export { SearchCache, searchCache } from "./search-cache.js"
export { snippetLine, snippetsFor } from "./snippet.js"
