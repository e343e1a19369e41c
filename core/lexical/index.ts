/** The full-text index: passages in immutable segments, ranked by BM25 with a proximity bonus. */
export { chunkIndex, rebuildLexicalIndex, repairLexicalIndex } from "./chunk-index.js"
export { inspectPostings } from "./inspect-postings.js"
export { indexIsSound, inspectSegments, lexicalFindings } from "./inspect-segments.js"
export { PostingInspection } from "./inspection.js"
export { mergeIsDue, mergeSegments } from "./merge-segments.js"
export { type LexicalResult, lexicalSearch, phraseLabels, termWeights } from "./search.js"
export { SegmentReader, segmentReader } from "./segment-reader.js"
export * from "./store.js"
