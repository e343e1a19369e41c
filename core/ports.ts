import type { AnswerCacheStore } from "./answers/answer-cache/index.js"
import type { AnswerStore } from "./answers/answering/index.js"
import type { CalibrationStore } from "./answers/calibration/index.js"
import type { DecisionLog } from "./answers/policy/index.js"
import type {
  DataCallStore,
  DataConnectorStore,
  DataQueryStore,
  LiveDatabases
} from "./connected/livedata/index.js"
import type { McpClient } from "./connected/mcp/index.js"
import type {
  ContentConnectorStore,
  Crawlers,
  ExternalItemStore,
  SyncRunStore
} from "./connected/sources/index.js"
import type { DocumentInspection, DocumentStore, Vault } from "./files/documents/index.js"
import type { ChangeRequestStore } from "./knowledge/curation/index.js"
import type { EntityInspection, EntityStore } from "./knowledge/entities/index.js"
import type {
  ClaimStore,
  ExtractionRecordStore,
  ExtractionStore,
  GraphInspection
} from "./knowledge/extraction/index.js"
import type { GraphStore, UnresolvedNames } from "./knowledge/graph/index.js"
import type { RdfReader, VocabularyReader, VocabularyStore } from "./knowledge/vocabulary/index.js"
import type { AuditLog } from "./platform/audit/index.js"
import type { IdentityStore, KeySecrets, SessionStore } from "./platform/identity/index.js"
import type { JobInspection, JobStore } from "./platform/jobs/index.js"
import type { Atomic, Ids, Storage } from "./platform/kernel/index.js"
import type { Models, UsageStore } from "./platform/models/index.js"
import type { Sealer, SecretStore } from "./platform/secrets/index.js"
import type { WorkspaceStore } from "./platform/workspace/index.js"
import type { PostingInspection, PostingStore } from "./search/lexical/index.js"
import type {
  LsaFitter,
  VectorIndex,
  VectorIndexInspection,
  VectorInspection,
  VectorStore
} from "./search/vectors/index.js"
import type { OverviewStore, ReportStore } from "./upkeep/overview/index.js"
import type { Digests, WorkspaceArchive } from "./upkeep/transfer/index.js"
import type { TrashStore } from "./upkeep/trash/index.js"
import type { AgentStore, RunSignals, RunStore } from "./work/agent-runs/index.js"
import type { EvalStore, JudgmentStore } from "./work/evaluation/index.js"

/** Everything that an engine needs of the world; an adapter package provides it as one layer. */
export type Ports =
  | Atomic
  | Ids
  | AuditLog
  | WorkspaceStore
  | IdentityStore
  | KeySecrets
  | SessionStore
  | JobStore
  | Models
  | UsageStore
  | SecretStore
  | Sealer
  | AnswerStore
  | DecisionLog
  | AnswerCacheStore
  | CalibrationStore
  | JudgmentStore
  | EvalStore
  | DocumentStore
  | Vault
  | EntityStore
  | GraphStore
  | ChangeRequestStore
  | AgentStore
  | RunStore
  | RunSignals
  | OverviewStore
  | ReportStore
  | TrashStore
  | DataConnectorStore
  | DataQueryStore
  | DataCallStore
  | LiveDatabases
  | McpClient
  | ContentConnectorStore
  | SyncRunStore
  | ExternalItemStore
  | Crawlers
  | VocabularyStore
  | VocabularyReader
  | RdfReader
  | ExtractionRecordStore
  | ClaimStore
  | UnresolvedNames
  | ExtractionStore
  | PostingStore
  | VectorStore
  | VectorIndex
  | LsaFitter
  | Storage
  | DocumentInspection
  | EntityInspection
  | GraphInspection
  | PostingInspection
  | VectorInspection
  | VectorIndexInspection
  | JobInspection
  | WorkspaceArchive
  | Digests
