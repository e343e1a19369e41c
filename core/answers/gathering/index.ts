/** What a workspace has for a question: passages, entities, data, the standing of documents, and what stays unknown. */
export { EvidenceCache, evidenceCache } from "./evidence-cache.js"
export { gatherData, noData } from "./gather-data.js"
export { gatherEvidence } from "./gather-evidence.js"
export { Candidate, type GateEvidence, type GatheredEvidence } from "./gathered-evidence.js"
export { type Governance, readGovernance, retiredOf, subjectsOf } from "./governance.js"
export { coverageOfSources, headOf } from "./question-coverage.js"
export { AnsweringRelation } from "./relations-asked.js"
