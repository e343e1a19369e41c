/** Immutable segments of postings: their format, how passages are written into them, and how they are read. */
export { readerWith } from "./added-segment.js"
export { type DeadSet, decodeDead, encodeDead, isDead, withDead } from "./dead-set.js"
export { indexBatch } from "./index-batch.js"
export { type IndexableChunk, tieKeyOf } from "./index-chunk.js"
export { lowerBound, type OpenList, PlaceRoom, PostingReader, placesIn } from "./positions.js"
export {
  BlockWriter,
  type ChunkFigures,
  type EncodedSegment,
  isCurrentFormat,
  type PostingList,
  PostingWriter,
  type SegmentDirectory,
  sealSegment,
  segmentIdOf
} from "./segment.js"
export { blocksUnder, decodeDirectory, EntryReader, eachTermUnder, ordinalOf } from "./segment-read.js"
export {
  type CorpusStatistics,
  type OpenIndex,
  type OpenSegment,
  SegmentReader,
  type SegmentView,
  segmentReader,
  type TermLists,
  viewsOf
} from "./segment-reader.js"
export {
  type NewSegment,
  type PostingInspection,
  PostingStore,
  SegmentGone,
  type SegmentInfo
} from "./store.js"
