import { queryOperations } from "./answering/index.js"
import { documentOperations } from "./documents/index.js"
import { entityOperations } from "./entities/index.js"
import { graphOperations } from "./graph/index.js"
import { identityOperations } from "./identity/index.js"
import { listJobs, startJob } from "./jobs/index.js"
import { overviewOperations } from "./overview/index.js"
import { retrievalOperations } from "./retrieval/index.js"

/** Every public operation, by its operationId. */
export const operations = {
  ...documentOperations,
  ...retrievalOperations,
  ...queryOperations,
  ...entityOperations,
  ...graphOperations,
  ...identityOperations,
  ...overviewOperations,
  listJobs,
  startJob
}
