/**
 * What a product that embeds Kanon needs: the engine's types, errors, results and models, and the parts to compose one
 * by hand. Most products want `kanon/sqlite`, which opens an engine in one call; authors of storage adapters import
 * ports from `kanon/adapter`. A test lists these names.
 */

export {
  type AnswerPart,
  DecisionPage,
  Explanation,
  GroundingReport,
  Query,
  type StageName,
  StructuredAnswer
} from "./answers/answering/index.js"
export { Contradiction } from "./answers/contradictions/index.js"
export { Claim as AnswerClaim, ClaimStatus, DataCall, Source } from "./answers/evidence/index.js"
export {
  Caveat,
  CaveatCode,
  EvidenceConflict,
  PolicyDecision,
  PolicyMode,
  Verdict
} from "./answers/policy/index.js"
export { ContentConnector, SyncRun } from "./connected/sources/index.js"
export {
  type AgentCalls,
  type AskEvent,
  type Asking,
  type AskOptions,
  type AskPart,
  type CallOptions,
  type ConnectorCalls,
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
  type OpenOptions,
  openEngine,
  type SearchOptions,
  type Timings,
  type VocabularyCalls,
  type Wired,
  wiring
} from "./engine/engine/index.js"
export {
  DocumentMoveResult,
  DocumentPage,
  DocumentSaveResult,
  DocumentSummary,
  DocumentVerification,
  DocumentVersion,
  DocumentVersionPage,
  DocumentWithContent,
  ProposedDocument
} from "./files/documents/index.js"
export { syncVault } from "./files/vault-sync/index.js"
export { ChangeRequest, CurationMeta, Entity, EntityPage, Revision } from "./knowledge/entities/index.js"
export {
  Card,
  EntityWithCuration,
  MentionPage,
  MergeResult,
  Neighborhood,
  RelationItem,
  RelationPage,
  RelationSaveResult
} from "./knowledge/graph/index.js"
export { SkosDocument, SkosImportResult } from "./knowledge/vocabulary/index.js"
export { operations } from "./operations.js"
export { AuditEvent, AuditPage, type ChainReport } from "./platform/audit/index.js"
export { MintedKey } from "./platform/identity/index.js"
export { drain, JobPage, startWorker } from "./platform/jobs/index.js"
export {
  Caller,
  type FaultCode,
  faultCodes,
  Ids,
  KanonError,
  now,
  type Operation,
  runOperation,
  type Scope,
  scopeOf
} from "./platform/kernel/index.js"
export {
  ChatModel,
  type ChatReply,
  type ChatRequest,
  Embedder,
  Judge,
  ModelFailed,
  type Price,
  Reranker,
  type TurnReply,
  type TurnRequest,
  type Usage
} from "./platform/models/index.js"
export { Settings, WorkspaceStore } from "./platform/workspace/index.js"
export type { Ports } from "./ports.js"
export { SearchResponse, SearchResult } from "./search/retrieval/index.js"
export type { DoctorOptions, DoctorReport } from "./upkeep/integrity/index.js"
export { CoverageMatrix, DocumentLineage, Manifest, Report, WorkspaceView } from "./upkeep/overview/index.js"
export { TrashPage } from "./upkeep/trash/index.js"
export {
  AgentView,
  type RegisteredTool,
  Run,
  RunEvent,
  RunPage,
  RunStep,
  type ToolContext
} from "./work/agent-runs/index.js"
export { EvalResult, EvalView } from "./work/evaluation/index.js"
