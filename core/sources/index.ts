/**
 * Content connectors: their configuration, the port of the crawlers that read sources, sync runs, and the state of
 * each item of a source.
 */
export { createConnector, listConnectors } from "./connectors.js"
export * from "./crawler.js"
export { scheduleHandler, syncHandler } from "./jobs.js"
export * from "./model.js"
export { sourcesOperations } from "./operations.js"
export { documentOrigin } from "./origin.js"
export { type IncomingText, type ItemPlan, planItem } from "./plan-item.js"
export * from "./providers.js"
export * from "./store.js"
export { type NewSync, startSync } from "./syncs.js"
