import { agentOperations } from "./agents/index.js"
import { getCacheStats } from "./answer-cache/index.js"
import { decisionOperations, queryOperations } from "./answering/index.js"
import { listAuditEvents } from "./audit/index.js"
import { curationOperations } from "./curation/index.js"
import { moveOperations } from "./document-moves/index.js"
import { documentOperations } from "./documents/index.js"
import { entityOperations } from "./entities/index.js"
import { evaluationOperations } from "./evaluation/index.js"
import { graphOperations } from "./graph/index.js"
import { identityOperations } from "./identity/index.js"
import { listJobs } from "./jobs/index.js"
import { livedataOperations } from "./livedata/index.js"
import { startJob, updateWorkspace } from "./maintenance/index.js"
import { overviewOperations, reportOperations } from "./overview/index.js"
import { retrievalOperations } from "./retrieval/index.js"
import { sourcesOperations } from "./sources/index.js"
import { trashOperations } from "./trash/index.js"
import { vocabularyOperations } from "./vocabulary/index.js"

/** Every public operation, by its operationId. */
export const operations = {
  ...documentOperations,
  ...moveOperations,
  ...retrievalOperations,
  ...queryOperations,
  ...decisionOperations,
  ...entityOperations,
  ...graphOperations,
  ...curationOperations,
  ...identityOperations,
  ...overviewOperations,
  ...livedataOperations,
  ...sourcesOperations,
  ...trashOperations,
  ...agentOperations,
  ...reportOperations,
  ...trashOperations,
  ...evaluationOperations,
  exportSkos: vocabularyOperations.exportSkos,
  importSkos: vocabularyOperations.importSkos,
  getCacheStats,
  listJobs,
  startJob,
  updateWorkspace,
  listAuditEvents
}
