/**
 * The engine without a database: ports to implement, layers to combine, operations to run. Most products want
 * `kanon/sqlite` instead, which needs no knowledge of Effect.
 */
export {
  type AnalysedQuery,
  analyse,
  analyseForIndex,
  analyseQuery,
  type IndexToken,
  type QueryTerm,
  type Token,
  type TokenKind
} from "./analysis/index.js"
export * from "./agents/index.js"
export type { AgentCalls } from "./agent-calls.js"
export * from "./answering/index.js"
export * from "./audit/index.js"
export * from "./cache/index.js"
export {
  type Artefact as CalibrationArtefact,
  CalibrationMeasures,
  CalibrationStore,
  ReliabilityBin,
  RiskCertificate
} from "./calibration/index.js"
export { type ConceptStanding, declaredStanding, findConflicts } from "./conflicts/index.js"
export * from "./curation/index.js"
export type { DoctorOptions, DoctorReport } from "./doctor.js"
export { type DoctorChecked, type DoctorProgress, type FindingCode, findingKinds } from "./doctor-parts.js"
export * from "./documents/index.js"
export type * from "./engine.js"
export * from "./entities/index.js"
export * from "./evaluation/index.js"
export type { EngineEventName, EngineEvents, EngineListener, QueueState } from "./events.js"
export {
  Claim as AnswerClaim,
  DataCall,
  DetectedEntity,
  type Evidence as AnswerEvidence,
  type EvidenceData,
  type EvidencePassage,
  makeEvidence,
  type ScoredPassage,
  Source
} from "./evidence/index.js"
export {
  builtInExtractor,
  Card,
  type CarriedEvidence,
  ClaimStore,
  type DrawnRelation,
  type Edge,
  EntityWithCuration,
  ExtractionStore,
  Extractor,
  type Facts,
  GraphInspection,
  type GraphState,
  GraphStore,
  graphOperations,
  type KnownSurface,
  type Mention,
  MentionItem,
  MentionPage,
  MergeResult,
  Neighborhood,
  type Reading,
  ReadingStore,
  type Relation,
  type RelationEvidence,
  RelationItem,
  RelationOrigin,
  RelationPage,
  RelationSaveResult
} from "./graph/index.js"
export {
  type ClaimCheck,
  type ClaimStatus,
  checkClaim,
  checkGrounding,
  type Veto,
  verifierId
} from "./grounding/index.js"
export * from "./identity/index.js"
export { jobKinds } from "./job-kinds.js"
export * from "./jobs/index.js"
export { type OpenOptions, openEngine } from "./kanon.js"
export * from "./kernel/index.js"
export {
  checkPostings,
  checkSegments,
  chunkIndex,
  indexIsSound,
  lexicalFindings,
  mergeIsDue,
  mergeSegments,
  type NewSegment,
  PostingInspection,
  PostingStore,
  phraseLabels,
  rebuildLexicalIndex,
  repairLexicalIndex,
  SegmentGone,
  type SegmentInfo,
  SegmentReader,
  segmentReader,
  termWeights
} from "./lexical/index.js"
export { ByteCache, Kept, StampedRows } from "./memory/index.js"
export { collectMetrics, type Metrics, type MetricsCollector, type Timings } from "./metrics.js"
export * from "./models/index.js"
export { operations } from "./operations.js"
export * from "./overview/index.js"
export * from "./policy/index.js"
export type { Ports } from "./ports.js"
export * from "./retrieval/index.js"
export * from "./secrets/index.js"
export { type ExtractiveReply, extract, extractiveModelId } from "./selection/index.js"
export type { EngineStatus } from "./status.js"
export {
  type ArchiveRecord,
  type Digest,
  Digests,
  ExportHeader,
  ExportTrailer,
  exportWorkspace,
  type Imported,
  loadExport,
  RecordCounts,
  type RecordKind,
  type RecordOf,
  recordKinds,
  verifyExport,
  WorkspaceArchive
} from "./transfer/index.js"
export * from "./trash/index.js"
export {
  bytesToVector,
  checkVectors,
  embeddingJob,
  fitArtefact,
  inProcessLsaFitter,
  LsaFitter,
  persistVectors,
  refreshVectors,
  remakeVectors,
  type ScoredLabel,
  type StoredVector,
  storedVector,
  unseededSearch,
  type VectorBatch,
  type VectorChange,
  VectorChannel,
  type VectorDrift,
  type VectorFeed,
  type VectorFeedReader,
  type VectorHits,
  VectorIndex,
  VectorIndexInspection,
  type VectorIndexKey,
  VectorInspection,
  type VectorLookup,
  type VectorModel,
  type VectorProgress,
  type VectorQuery,
  type VectorRow,
  type VectorSource,
  VectorStore,
  vectorChannelLive,
  vectorFindings,
  vectorsAreBehind,
  vectorToBytes
} from "./vectors/index.js"
export * from "./vocabulary/index.js"
export type { VocabularyCalls } from "./vocabulary-calls.js"
export { handlers, type Wired, wiring } from "./wiring.js"
export * from "./workspace/index.js"
