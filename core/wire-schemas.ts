/**
 * The schemas of the API by the names that its description gives them: a schema listed here becomes a component of
 * `openapi.json` wherever an operation uses it. Internal: no entry of the package.
 */

export { CacheStats } from "./answers/answer-cache/index.js"
export {
  DecisionPage,
  ExplainedDecision,
  Explanation,
  GroundingReport,
  StructuredAnswer
} from "./answers/answering/index.js"
export { CheckedClaim, ClaimStatus, DataCall, DetectedEntity, Source } from "./answers/evidence/index.js"
export {
  Ambiguity,
  AnswerFacts,
  Caveat,
  CaveatCode,
  EvidenceConflict,
  EvidenceFacts,
  FeatureValues,
  GateFeatures,
  GateLimits,
  PolicyBlock,
  PolicyMode,
  PolicyStats,
  Verdict
} from "./answers/policy/index.js"
export {
  ConnectorConfig,
  ContentConnector,
  ContentConnectorDetail,
  ContentConnectorKind,
  LastSync,
  OnConflict,
  PlannedChange,
  SyncFailure,
  SyncMode,
  SyncRun,
  SyncStarted,
  SyncStatus,
  SyncWarning,
  UploadFile
} from "./connected/sources/index.js"
export {
  DocumentMoveResult,
  DocumentPage,
  DocumentSaveResult,
  DocumentSummary,
  DocumentVerification,
  DocumentVersion,
  DocumentVersionPage,
  DocumentWithContent,
  Verification,
  VersionOrigin
} from "./files/documents/index.js"
export {
  Authority,
  ChangeKind,
  ChangeRequest,
  CurationMeta,
  Entity,
  EntityAliases,
  EntityListItem,
  EntityName,
  EntityPage,
  EntityType,
  Lifecycle,
  Origin,
  RequestKind,
  RequestStatus,
  Resolution,
  Revision,
  SourceRef
} from "./knowledge/entities/index.js"
export {
  Card,
  EntityWithCuration,
  MentionItem,
  MentionPage,
  MergeResult,
  Neighborhood,
  RelationItem,
  RelationOrigin,
  RelationPage,
  RelationSaveResult
} from "./knowledge/graph/index.js"
export {
  ImportMode,
  NotKept,
  SkosDocument,
  SkosImportResult,
  SkosNode
} from "./knowledge/vocabulary/index.js"
export { AuditEvent, AuditPage } from "./platform/audit/index.js"
export { KeyItem, KeyPage, KeyScope, MintedKey } from "./platform/identity/index.js"
export { JobItem, JobPage, StartedJobs } from "./platform/jobs/index.js"
export {
  AgentId,
  AgentVersionId,
  AnswerId,
  ApprovalId,
  AsOf,
  AuditId,
  ChangeRequestId,
  ChunkId,
  ContentConnectorId,
  ConversationId,
  DataCallId,
  DataConnectorId,
  DataQueryId,
  DecisionId,
  DeleteAck,
  DocumentId,
  EntityId,
  EvalId,
  FeedbackId,
  JobId,
  JudgmentId,
  KeyId,
  Moment,
  MomentOrDay,
  pageLimit,
  pageOffset,
  RelationId,
  ReportId,
  RunConfigId,
  RunId,
  StepId,
  SyncRunId,
  Text,
  Timestamp,
  UserId,
  WorkspaceId
} from "./platform/kernel/index.js"
export { ModelPrices, ProviderUrl } from "./platform/models/index.js"
export {
  ApprovalPolicy,
  LanguageTag,
  McpServersChange,
  ReadableMcpServers,
  ToolEffect,
  Wishes
} from "./platform/workspace/index.js"
export { Channel, SearchResponse, SearchResult } from "./search/retrieval/index.js"
export {
  ChunkView,
  CoverageMatrix,
  DocumentLineage,
  HubConcept,
  Manifest,
  MemberPage,
  Report,
  ReportItem,
  ReportKind,
  ReportSection,
  ReportStatus,
  ReportSummary,
  ReportTitle,
  RequestOverview,
  WorkspaceView
} from "./upkeep/overview/index.js"
export { RestoreAck, TrashId, TrashItem, TrashKind, TrashPage } from "./upkeep/trash/index.js"
export {
  AgentItem,
  AgentPage,
  AgentSlug,
  AgentVersionInfo,
  AgentView,
  BoundTool,
  Feedback,
  FeedbackKind,
  Groundedness,
  PendingApproval,
  Run,
  RunCitation,
  RunError,
  RunErrorCode,
  RunErrorEvent,
  RunEvent,
  RunFinalEvent,
  RunItem,
  RunModelCallEvent,
  RunOutput,
  RunPage,
  RunStatus,
  RunStep,
  RunSuspendedEvent,
  RunToolCallEvent,
  RunTrigger,
  StepKind,
  StepStatus,
  ToolKind
} from "./work/agent-runs/index.js"
export { RunStarted } from "./work/agents/index.js"
export {
  AbstentionMetrics,
  EvalClaim,
  EvalItem,
  EvalMetrics,
  EvalOptions,
  EvalOptionsInput,
  EvalResult,
  EvalStatus,
  EvalView,
  JudgeCorrection,
  Judgment,
  JudgmentCounts,
  JudgmentInput,
  QueryId,
  SetName,
  Suite
} from "./work/evaluation/index.js"
