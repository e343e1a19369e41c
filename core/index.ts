/**
 * The engine without a database: ports to implement, layers to combine, operations to run. Most products want
 * `kanon/sqlite` instead, which needs no knowledge of Effect.
 */

import { moveOperations } from "./document-moves/index.js"
import { documentOperations as otherOperations } from "./documents/index.js"

export * from "./agents/index.js"
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
  documentsChanged,
  type FileIntent,
  type FileStamp,
  type Filing,
  FormatConverter,
  type IntentFilter,
  type KeptVersion,
  type ListedDocument,
  LongTextParser,
  type NewIntent,
  type Orphan,
  type ParsedContent,
  type Passage,
  pageAt,
  parseContent,
  pruneVersions,
  purgeTrash,
  type Repair,
  recoverPendingWrites,
  restoreDocument,
  type StagedFile,
  trashedText,
  Vault,
  type VaultEntry,
  type VaultRefusal,
  Verification,
  type VerificationTrigger,
  VersionOrigin,
  verificationTable
} from "./documents/index.js"
export type { AgentCalls, ConnectorCalls } from "./engine/index.js"
export {
  type AskOptions,
  type CallOptions,
  collectMetrics,
  type Engine,
  type EngineCalls,
  type EngineEventName,
  type EngineEvents,
  type EngineListener,
  type EngineStatus,
  type IngestOptions,
  type IngestProgress,
  type IngestReport,
  type Metrics,
  type MetricsCollector,
  type OpenOptions,
  openEngine,
  type QueueState,
  type SearchOptions,
  type Timings,
  type VocabularyCalls
} from "./engine/index.js"
export * from "./entities/index.js"
export * from "./evaluation/index.js"
export {
  CheckedClaim,
  Claim as AnswerClaim,
  ClaimStatus,
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
export { type Candidate as AnswerCandidate, EvidenceCache, evidenceCache } from "./gathering/index.js"
export {
  cleanEvidence,
  markersIn,
  type OnText,
  type Outcome as AnswerOutcome,
  promptVersion,
  TextListener
} from "./generation/index.js"
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
  checkClaim,
  checkGrounding,
  type Veto,
  verifierId
} from "./grounding/index.js"
export * from "./identity/index.js"
export {
  type DoctorChecked,
  type DoctorOptions,
  type DoctorProgress,
  type DoctorReport,
  type FindingCode,
  findingKinds
} from "./integrity/index.js"
export * from "./jobs/index.js"
export { jobKinds } from "./jobs/index.js"
export * from "./kernel/index.js"
export {
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
  type LinkResolver,
  type LinkTarget,
  linkResolver,
  maxDocumentLinks
} from "./links/index.js"
export {
  type FrontMatter,
  folderOf,
  isMarkdown,
  judgeDiskPath,
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
  ConnectorConfig,
  ContentConnector,
  ContentConnectorDetail,
  ContentConnectorKind,
  ContentConnectorStore,
  type CrawlerProvider,
  Crawlers,
  ExternalItemStore,
  LastSync,
  OnConflict,
  PlannedChange,
  SyncFailure,
  SyncMode,
  SyncRun,
  SyncRunStore,
  SyncStarted,
  SyncStatus,
  SyncWarning,
  UploadFile
} from "./sources/index.js"
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
  type Remark,
  reconcileFiles,
  reindexDocuments,
  type SyncOptions,
  type SyncReport,
  syncVault,
  waitForWriters
} from "./vault-sync/index.js"
export {
  bytesToVector,
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
  type VectorModel,
  type VectorProgress,
  type VectorQuery,
  type VectorRow,
  VectorStore,
  vectorChannelLive,
  vectorFindings,
  vectorsAreBehind,
  vectorToBytes
} from "./vectors/index.js"
export * from "./vocabulary/index.js"
export { handlers, type Wired, wiring } from "./wiring.js"
export * from "./workspace/index.js"

/** The operations of documents. */
export const documentOperations = { ...otherOperations, ...moveOperations }
