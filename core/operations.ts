import { getCacheStats } from "./answers/answer-cache/index.js"
import { decisionOperations, queryOperations } from "./answers/answering/index.js"
import { contradictionOperations } from "./answers/contradictions/index.js"
import { topicPageOperations } from "./answers/topic-pages/index.js"
import { livedataOperations } from "./connected/livedata/index.js"
import { sourcesOperations } from "./connected/sources/index.js"
import { moveOperations } from "./files/document-moves/index.js"
import { documentOperations, getDocumentAccess, setDocumentAccess } from "./files/documents/index.js"
import { proposalOperations } from "./files/proposals/index.js"
import { curationOperations } from "./knowledge/curation/index.js"
import { entityOperations } from "./knowledge/entities/index.js"
import { graphOperations } from "./knowledge/graph/index.js"
import { vocabularyOperations } from "./knowledge/vocabulary/index.js"
import { listAuditEvents } from "./platform/audit/index.js"
import { identityOperations } from "./platform/identity/index.js"
import { listJobs } from "./platform/jobs/index.js"
import { retrievalOperations } from "./search/retrieval/index.js"
import { startJob, updateWorkspace } from "./upkeep/maintenance/index.js"
import { overviewOperations, reportOperations } from "./upkeep/overview/index.js"
import { trashOperations } from "./upkeep/trash/index.js"
import { agentOperations } from "./work/agents/index.js"
import { evaluationOperations } from "./work/evaluation/index.js"

/** Every public operation, by its operationId. */
export const operations = {
  ...documentOperations,
  getDocumentAccess,
  setDocumentAccess,
  ...moveOperations,
  ...retrievalOperations,
  ...queryOperations,
  ...decisionOperations,
  ...contradictionOperations,
  ...topicPageOperations,
  ...proposalOperations,
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
  ...evaluationOperations,
  exportSkos: vocabularyOperations.exportSkos,
  importSkos: vocabularyOperations.importSkos,
  getCacheStats,
  listJobs,
  startJob,
  updateWorkspace,
  listAuditEvents
}
