/**
 * The laws of every port, as vitest suites. A suite takes a name and a layer that gives a fresh adapter; it
 * registers one test a law. Call it from a test file of your own: see docs/writing-an-adapter.md.
 */
export { agentStoresContract } from "./agent-stores.js"
export { answerCacheStoreContract } from "./answer-cache-store.js"
export { answerStoreContract } from "./answer-store.js"
export { atomicContract } from "./atomic.js"
export { auditLogContract } from "./audit-log.js"
export { calibrationStoreContract } from "./calibration-store.js"
export { changeRequestStoreContract } from "./change-request-store.js"
export { clockContract } from "./clock.js"
export { type ContractTest, contractTestsFor, runEffect } from "./contract-tests.js"
export { type CrawledSource, crawlerContract } from "./crawler.js"
export { decisionLogContract } from "./decision-log.js"
export { documentStoreContract } from "./document-store.js"
export { entityStoreContract } from "./entity-store.js"
export { evaluationStoresContract } from "./evaluation-stores.js"
export { graphStoreContract } from "./graph-store.js"
export { idsContract } from "./ids.js"
export {
  postingInspectionContract,
  vectorIndexInspectionContract,
  vectorInspectionContract
} from "./index-inspections.js"
export {
  documentInspectionContract,
  entityInspectionContract,
  graphInspectionContract,
  storageContract
} from "./inspections.js"
export { jobStoreContract } from "./job-store.js"
export { livedataStoresContract } from "./livedata-stores.js"
export { lsaFitterContract } from "./lsa-fitter.js"
export { chatModelContract, embedderContract, rerankerContract } from "./models.js"
export { postingStoreContract } from "./posting-store.js"
export { secretStoreContract } from "./secret-store.js"
export { sessionStoreContract } from "./session-store.js"
export { sourceStoresContract } from "./source-stores.js"
export { trashStoreContract } from "./trash-store.js"
export { usageStoreContract } from "./usage-store.js"
export { vaultContract } from "./vault.js"
export { vectorIndexContract } from "./vector-index.js"
export { vectorStoreContract } from "./vector-store.js"
export { rdfReaderContract, vocabularyReaderContract, vocabularyStoreContract } from "./vocabulary.js"
export { makeWorkspace } from "./workspace.js"
export { workspaceArchiveContract } from "./workspace-archive.js"
export { workspaceStoreContract } from "./workspace-store.js"
