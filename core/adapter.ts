/**
 * The ports that an adapter implements, with the types of their methods and the few helpers that keep their promises.
 * Each port says who implements it and why; `kanon/contract` has a test suite for each.
 */

export {
  type AnswerFeedback,
  type AnswerFilter,
  AnswerStore,
  type CacheBounds,
  type CacheCounts,
  type CacheDependencies,
  type CacheEntry,
  type CheckedStatements,
  type CitedPassage,
  type Conversation,
  type ConversationOf,
  type ConversationTitle,
  type KeptAnswer,
  type ListedAnswer,
  LongClaims,
  type StoredAnswer,
  type TextToCheck
} from "./answers/answering/index.js"
export { ContradictionStore } from "./answers/contradictions/index.js"
export { type DecisionFilter, type DecisionGroup, PolicyStore } from "./answers/policy/index.js"
export { LiveDatabases, LiveDataStore } from "./connected/livedata/index.js"
export { McpClient } from "./connected/mcp/index.js"
export {
  type CrawlerProvider,
  Crawlers,
  SourceStore
} from "./connected/sources/index.js"
export {
  type Chunk,
  Chunker,
  ConversionFailed,
  type ConversionFailure,
  type ConvertedAttachment,
  type ConvertedFile,
  type ConvertibleFile,
  type Cut,
  contentBytesMax,
  convertibleBytesMax,
  type Document,
  type DocumentStamp,
  DocumentStore,
  type FileIntent,
  type FileStamp,
  type Filing,
  FormatConverter,
  type IntentFilter,
  type ListedDocument,
  type NewIntent,
  type Orphan,
  type OwnChunker,
  type Passage,
  type StagedFile,
  type TextToCut,
  Vault,
  type VaultEntry,
  type VaultRefusal
} from "./files/documents/index.js"
export {
  type Decision,
  type EntityCounts,
  type EntityFiling,
  type EntityRecord,
  EntityStore,
  type KeptRequest,
  type ListedEntity,
  type NewRevision,
  Revision,
  type StoredEntity,
  type StoredRequest
} from "./knowledge/entities/index.js"
export { Extractor } from "./knowledge/extraction/index.js"
export {
  type CarriedEvidence,
  type ExtractionRecord,
  type GraphState,
  GraphStore,
  type KnownSurface,
  type LinkedRelation,
  type Mention,
  type Relation
} from "./knowledge/graph/index.js"
export {
  type ExportedConcept,
  type ImportRun,
  RdfReader,
  type RdfSource,
  type StagedConcept,
  type VocabularyMoment,
  VocabularyStore
} from "./knowledge/vocabulary/index.js"
export { AccessStore } from "./platform/access/index.js"
export {
  AuditLog,
  type AuditSlice,
  type ChainPage,
  type KeptHead,
  KeptHeads,
  type ListedEvent
} from "./platform/audit/index.js"
export {
  type BoundToken,
  type ClientToken,
  IdentityStore,
  type KeyRemains,
  type LiveAt,
  type UserAccess
} from "./platform/identity/index.js"
export {
  type ClaimRequest,
  type Due,
  type DueKind,
  type JobCensus,
  JobStore,
  type QueueDepth
} from "./platform/jobs/index.js"
export {
  Atomic,
  atomically,
  Caller,
  type CallerShape,
  Conflict,
  type DamagedRow,
  DataBusy,
  DataFull,
  DataReadOnly,
  DataTooNew,
  DataUnavailable,
  DataUnreadable,
  type Digest,
  Ids,
  invalid,
  type NewSecret,
  NotFound,
  now,
  type Scope,
  Storage,
  type StorageRemark,
  scopeOf,
  type UnitOptions,
  type UnreadableRow,
  VaultUnavailable,
  type WorkspaceScope
} from "./platform/kernel/index.js"
export {
  ChatModel,
  type ChatReply,
  type ChatRequest,
  Embedder,
  Judge,
  type JudgedClaim,
  type Judgement,
  ModelFailed,
  Models,
  type MonthlyUsage,
  type OfferedTool,
  type PricedChoices,
  type RequestedCall,
  Reranker,
  type TurnMessage,
  type TurnReply,
  type TurnRequest,
  type WorkspaceModels
} from "./platform/models/index.js"
export { Sealer } from "./platform/secrets/index.js"
export { type SealedSecret, Settings, WorkspaceStore } from "./platform/workspace/index.js"
export {
  type NewSegment,
  PostingStore,
  SegmentGone,
  type SegmentInfo
} from "./search/lexical/index.js"
export {
  LsaFitter,
  type StoredVector,
  type VectorBatch,
  type VectorChange,
  type VectorDrift,
  type VectorFeed,
  type VectorFeedReader,
  VectorIndex,
  type VectorIndexKey,
  type VectorModel,
  type VectorRow,
  VectorStore
} from "./search/vectors/index.js"
export {
  type DocumentDependents,
  type DocumentMentions,
  type EntityView,
  type NamedEntity,
  type Overdue,
  type OverviewCounts,
  OverviewStore,
  type PassageVector,
  type Stewardship,
  type StewardshipScope,
  type TracedConcept,
  type TrashEntry,
  type UndecidedAnswer
} from "./upkeep/overview/index.js"
export { WorkspaceArchive } from "./upkeep/transfer/index.js"
export {
  type Claim,
  type RunChange,
  type RunFilter,
  RunStore
} from "./work/agent-runs/index.js"
export {
  type EvalFilter,
  EvalStore,
  type JudgeLabel,
  type JudgmentFilter,
  type RunTopic,
  type StoredEval,
  type StoredJudgment
} from "./work/evaluation/index.js"
