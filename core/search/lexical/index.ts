/** The full-text index: passages in immutable segments, ranked by BM25 with a proximity bonus. */
export {
  type NewSegment,
  type PostingInspection,
  PostingStore,
  readerWith,
  SegmentGone,
  type SegmentInfo,
  SegmentReader,
  segmentReader
} from "../segments/index.js"
export { chunkIndex, rebuildLexicalIndex, repairLexicalIndex } from "./chunk-index.js"
export { inspectPostings } from "./inspect-postings.js"
export { indexIsSound, inspectSegments, lexicalFindings } from "./inspect-segments.js"
export { mergeSegments } from "./merge-segments.js"
export { type LexicalResult, lexicalSearch, phraseLabels, termWeights } from "./search.js"
