/**
 * The engine without a database: ports to implement, layers to combine, operations to run. Most products want
 * `kanon/sqlite` instead, which needs no knowledge of Effect.
 */

import { moveOperations } from "./files/document-moves/index.js"
import { documentOperations as otherOperations } from "./files/documents/index.js"

export * from "./answers/answer-cache/index.js"
export * from "./answers/answering/index.js"
export {
  type Artefact as CalibrationArtefact,
  CalibrationMeasures,
  CalibrationStore,
  ReliabilityBin,
  RiskCertificate
} from "./answers/calibration/index.js"
export { type ConceptStanding, declaredStanding, findConflicts } from "./answers/conflicts/index.js"
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
} from "./answers/evidence/index.js"
export { type ExtractiveReply, extractAnswer, extractiveModelId } from "./answers/extractive/index.js"
export { type Candidate as AnswerCandidate, EvidenceCache, evidenceCache } from "./answers/gathering/index.js"
export {
  cleanEvidence,
  markersIn,
  type OnText,
  type Outcome as AnswerOutcome,
  promptVersion,
  TextListener
} from "./answers/generation/index.js"
export {
  type ClaimCheck,
  checkClaim,
  checkGrounding,
  type Veto,
  verifierId
} from "./answers/grounding/index.js"
export * from "./answers/policy/index.js"
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
} from "./connected/sources/index.js"
export type { AgentCalls, ConnectorCalls } from "./engine/engine/index.js"
export {
  type AskEvent,
  type Asking,
  type AskOptions,
  type AskPart,
  type CallOptions,
  collectMetrics,
  type Engine,
  type EngineCalls,
  type EngineEventName,
  type EngineEvents,
  type EngineListener,
  type EngineStatus,
  handlers,
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
  type VocabularyCalls,
  type Wired,
  wiring
} from "./engine/engine/index.js"
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
} from "./files/documents/index.js"
export {
  type DocumentLink,
  documentLinks,
  type LinkResolver,
  type LinkTarget,
  linkResolver,
  maxDocumentLinks
} from "./files/links/index.js"
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
} from "./files/markdown/index.js"
export {
  type Remark,
  reconcileFiles,
  reindexDocuments,
  type SyncOptions,
  type SyncReport,
  syncVault,
  waitForWriters
} from "./files/vault-sync/index.js"
export * from "./knowledge/curation/index.js"
export * from "./knowledge/entities/index.js"
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
} from "./knowledge/extraction/index.js"
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
} from "./knowledge/graph/index.js"
export * from "./knowledge/vocabulary/index.js"
export {
  type AnalysedQuery,
  analyse,
  analyseForIndex,
  analyseQuery,
  type IndexToken,
  type QueryTerm,
  type Token,
  type TokenKind
} from "./language/tokenization/index.js"
export { operations } from "./operations.js"
export * from "./platform/audit/index.js"
export { ByteCache, StampedRows, StampedValue } from "./platform/caching/index.js"
export * from "./platform/identity/index.js"
export * from "./platform/jobs/index.js"
export { jobKinds } from "./platform/jobs/index.js"
export * from "./platform/kernel/index.js"
export * from "./platform/models/index.js"
export * from "./platform/secrets/index.js"
export * from "./platform/workspace/index.js"
export type { Ports } from "./ports.js"
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
} from "./search/lexical/index.js"
export * from "./search/retrieval/index.js"
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
} from "./search/vectors/index.js"
export {
  type DoctorChecked,
  type DoctorOptions,
  type DoctorProgress,
  type DoctorReport,
  type FindingCode,
  findingKinds
} from "./upkeep/integrity/index.js"
export * from "./upkeep/overview/index.js"
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
} from "./upkeep/transfer/index.js"
export * from "./upkeep/trash/index.js"
export * from "./work/agent-runs/index.js"
export * from "./work/agents/index.js"
export * from "./work/evaluation/index.js"

/** The operations of documents. */
export const documentOperations = { ...otherOperations, ...moveOperations }
