/**
 * Passages that match a query: what words and vectors find, fused by rank, weighed by governance, and a reranker.
 */
export { type Fused, fuse, type RankedList } from "./fuse.js"
export * from "./model.js"
export * as retrievalOperations from "./operations.js"
export { type Retrieval, type RetrievalRequest, type RetrievalTuning, retrieve } from "./retrieve.js"
export type { RetrievedPassage } from "./retrieved.js"
export { SearchMemory, searchMemory } from "./search-memory.js"
export { snippetLine, snippetOf, snippetsFor } from "./snippet.js"
