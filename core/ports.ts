import type { AgentStore, RunSignals, RunStore } from "./agents/index.js"
import type { AnswerCacheStore } from "./answer-cache/index.js"
import type { AnswerStore } from "./answering/index.js"
import type { AuditLog } from "./audit/index.js"
import type { CalibrationStore } from "./calibration/index.js"
import type { ChangeRequestStore } from "./curation/index.js"
import type { DocumentInspection, DocumentStore, Vault } from "./documents/index.js"
import type { EntityInspection, EntityStore } from "./entities/index.js"
import type { EvalStore, JudgmentStore } from "./evaluation/index.js"
import type {
  ClaimStore,
  ExtractionRecordStore,
  ExtractionStore,
  GraphInspection
} from "./extraction/index.js"
import type { GraphStore, UnresolvedNames } from "./graph/index.js"
import type { IdentityStore, KeySecrets, SessionStore } from "./identity/index.js"
import type { JobInspection, JobStore } from "./jobs/index.js"
import type { Atomic, Ids, Storage } from "./kernel/index.js"
import type { PostingInspection, PostingStore } from "./lexical/index.js"
import type { DataCallStore, DataConnectorStore, DataQueryStore, LiveDatabases } from "./livedata/index.js"
import type { McpClient } from "./mcp/index.js"
import type { Models, UsageStore } from "./models/index.js"
import type { OverviewStore, ReportStore } from "./overview/index.js"
import type { DecisionLog } from "./policy/index.js"
import type { Sealer, SecretStore } from "./secrets/index.js"
import type { ContentConnectorStore, Crawlers, ExternalItemStore, SyncRunStore } from "./sources/index.js"
import type { Digests, WorkspaceArchive } from "./transfer/index.js"
import type { TrashStore } from "./trash/index.js"
import type {
  LsaFitter,
  VectorIndex,
  VectorIndexInspection,
  VectorInspection,
  VectorStore
} from "./vectors/index.js"
import type { RdfReader, VocabularyReader, VocabularyStore } from "./vocabulary/index.js"
import type { WorkspaceStore } from "./workspace/index.js"

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
