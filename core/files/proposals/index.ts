/** Proposed documents: pages that wait for a person, with their sources and states. */
export * as proposalOperations from "./operations.js"
export { changedSources, compiledSources, isCompiled } from "./page-sources.js"
export { outdateProposal, propose } from "./service.js"
export { proposalTable } from "./states.js"
