/** Gathers the evidence for a question: passages, entities, data, governance status and unknown terms. */
export { validSince, workspaceAsOf } from "./as-of.js"
export { evidenceCache } from "./evidence-cache.js"
export { gatherData, noData } from "./gather-data.js"
export { gatherEvidence } from "./gather-evidence.js"
export { Candidate, type GateEvidence, type GatheredEvidence } from "./gathered-evidence.js"
export { type Governance, readGovernance, retiredOf, subjectsOf } from "./governance.js"
export { coverageOfSources, headOf } from "./question-coverage.js"
export { AnsweringRelation } from "./relations-asked.js"
