import type { AnswerStore } from "./answers/answering/index.js"
import type { ContradictionStore } from "./answers/contradictions/index.js"
import type { PolicyStore } from "./answers/policy/index.js"
import type { LiveDatabases, LiveDataStore } from "./connected/livedata/index.js"
import type { McpClient } from "./connected/mcp/index.js"
import type { SourceStore } from "./connected/sources/index.js"
import type { DocumentStore, Vault } from "./files/documents/index.js"
import type { EntityStore } from "./knowledge/entities/index.js"
import type { GraphStore } from "./knowledge/graph/index.js"
import type { RdfReader, VocabularyStore } from "./knowledge/vocabulary/index.js"
import type { AccessStore } from "./platform/access/index.js"
import type { AuditLog } from "./platform/audit/index.js"
import type { IdentityStore } from "./platform/identity/index.js"
import type { JobStore } from "./platform/jobs/index.js"
import type { Atomic, Ids, Storage } from "./platform/kernel/index.js"
import type { Models } from "./platform/models/index.js"
import type { Sealer } from "./platform/secrets/index.js"
import type { WorkspaceStore } from "./platform/workspace/index.js"
import type { PostingStore } from "./search/lexical/index.js"
import type { VectorIndex, VectorStore } from "./search/vectors/index.js"
import type { OverviewStore } from "./upkeep/overview/index.js"
import type { WorkspaceArchive } from "./upkeep/transfer/index.js"
import type { RunStore } from "./work/agent-runs/index.js"
import type { EvalStore } from "./work/evaluation/index.js"

/** Everything that an engine needs of the world; an adapter package provides it as one layer. */
export type Ports =
  | Atomic
  | Ids
  | AuditLog
  | AccessStore
  | WorkspaceStore
  | IdentityStore
  | JobStore
  | Models
  | Sealer
  | AnswerStore
  | PolicyStore
  | ContradictionStore
  | EvalStore
  | DocumentStore
  | Vault
  | EntityStore
  | GraphStore
  | RunStore
  | OverviewStore
  | LiveDatabases
  | LiveDataStore
  | McpClient
  | SourceStore
  | VocabularyStore
  | RdfReader
  | PostingStore
  | VectorStore
  | VectorIndex
  | Storage
  | WorkspaceArchive
