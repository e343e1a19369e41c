/**
 * The engine without a database: ports to implement, layers to combine, operations to run. Most products want
 * `kanon/sqlite` instead, which needs no knowledge of Effect.
 */

export * from "./answer-cache/index.js"
export * from "./answering/index.js"
export * from "./audit/index.js"
export { ByteCache, StampedRows, StampedValue } from "./caching/index.js"
export {
  type Artefact as CalibrationArtefact,
  CalibrationMeasures,
  CalibrationStore,
  ReliabilityBin,
  RiskCertificate
} from "./calibration/index.js"
export { type ConceptStanding, declaredStanding, findConflicts } from "./conflicts/index.js"
export * from "./curation/index.js"
export {
  type Chunk,
  ChunkIndex,
  CompletedFileOperations,
  ConversionFailed,
  type ConversionFailure,
  type ConvertedAttachment,
  type ConvertedFile,
  type ConvertibleFile,
  checkOrphans,
  checkRows,
  checkTrash,
  completedFileOperations,
  contentBytesMax,
  convertibleBytesMax,
  type Document,
  DocumentFilter,
  DocumentInspection,
  DocumentMoveResult,
  DocumentPage,
  DocumentSaveResult,
  type DocumentStamp,
  DocumentStore,
  DocumentSummary,
  DocumentVerification,
  DocumentVersion,
  DocumentVersionPage,
  DocumentWithContent,
  defaultFormatMemoryMb,
  defaultFormatTimeoutMs,
  documentOperations,
  documentsChanged,
  type FileIntent,
  type FileStamp,
  type Filing,
  FormatConverter,
  type FrontMatter,
  type IntentFilter,
  type KeptVersion,
  type ListedDocument,
  LongTextParser,
  mendNumbers,
  type NewIntent,
  type Orphan,
  type ParsedContent,
  type Passage,
  pageAt,
  parseContent,
  pruneVersions,
  purgeTrash,
  recoverPendingWrites,
  restoreDocument,
  rowFindings,
  type StagedFile,
  trashedText,
  Vault,
  type VaultEntry,
  type VaultRefusal,
  Verification,
  type VerificationTrigger,
  VersionInspection,
  VersionOrigin,
  verificationTable
} from "./documents/index.js"
export type * from "./engine/engine.js"
export type { EngineEventName, EngineEvents, EngineListener, QueueState } from "./engine/events.js"
export { type OpenOptions, openEngine } from "./engine/kanon.js"
export { collectMetrics, type Metrics, type MetricsCollector, type Timings } from "./engine/metrics.js"
export type { EngineStatus } from "./engine/status.js"
export type { VocabularyCalls } from "./engine/vocabulary-calls.js"
export * from "./entities/index.js"
export * from "./evaluation/index.js"
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
  type CarriedEvidence,
  ClaimStore,
  type ExtractionRecord,
  ExtractionRecordStore,
  ExtractionStore,
  Extractor,
  type Facts,
  GraphInspection,
  type GraphState,
  type KnownSurface,
  type LinkedRelation
} from "./extraction/index.js"
export { type ExtractiveReply, extract, extractiveModelId } from "./extractive/index.js"
export {
  Card,
  type Edge,
  EntityWithCuration,
  GraphStore,
  graphOperations,
  type Mention,
  MentionItem,
  MentionPage,
  MergeResult,
  Neighborhood,
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
export type { DoctorOptions, DoctorReport } from "./integrity/doctor.js"
export {
  type DoctorChecked,
  type DoctorProgress,
  type FindingCode,
  findingKinds
} from "./integrity/doctor-parts.js"
export * from "./jobs/index.js"
export { jobKinds } from "./jobs/job-kinds.js"
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
export {
  type DocumentLink,
  documentLinks,
  folderOf,
  isMarkdown,
  judgeDiskPath,
  type LinkResolver,
  type LinkTarget,
  linkResolver,
  maxDocumentLinks,
  type ParsedMarkdown,
  parseFrontMatter,
  parseMarkdown,
  parseVaultScope,
  pathKey,
  plainText,
  type Span,
  stemOf
} from "./markdown/index.js"
export * from "./models/index.js"
export { operations } from "./operations.js"
export * from "./overview/index.js"
export * from "./policy/index.js"
export type { Ports } from "./ports.js"
export * from "./retrieval/index.js"
export * from "./secrets/index.js"
export {
  type AnalysedQuery,
  analyse,
  analyseForIndex,
  analyseQuery,
  type IndexToken,
  type QueryTerm,
  type Token,
  type TokenKind
} from "./tokenization/index.js"
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
  checkFiles,
  fileFindings,
  letWritersEnd,
  type Remark,
  type Repair,
  reconcileFiles,
  reindexDocuments,
  type SyncOptions,
  type SyncReport,
  syncVault
} from "./vault-sync/index.js"
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
export { handlers, type Wired, wiring } from "./wiring.js"
export * from "./workspace/index.js"
