import type { AuditLog } from "./audit/index.js"
import type { DocumentStore, Vault } from "./documents/index.js"
import type { EntityStore } from "./entities/index.js"
import type { ExtractionStore, GraphStore } from "./graph/index.js"
import type { JobStore } from "./jobs/index.js"
import type { Atomic, Ids } from "./kernel/index.js"
import type { Models } from "./models/index.js"
import type { LsaFitter, PostingStore, VectorIndex, VectorStore } from "./retrieval/index.js"
import type { WorkspaceStore } from "./workspace/index.js"

/** Everything that an engine needs of the world; an adapter package provides it as one layer. */
export type Ports =
  | Atomic
  | Ids
  | AuditLog
  | WorkspaceStore
  | JobStore
  | Models
  | DocumentStore
  | Vault
  | EntityStore
  | GraphStore
  | ExtractionStore
  | PostingStore
  | VectorStore
  | VectorIndex
  | LsaFitter
