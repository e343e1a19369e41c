/**
 * Content connectors: their configuration, the port of the crawlers that read sources, sync runs, and the state of
 * each item of a source.
 */
export * from "./crawler.js"
export { scheduleHandler, syncHandler } from "./jobs.js"
export * from "./model.js"
export { sourcesOperations } from "./operations.js"
export { planItem } from "./plan-item.js"
export * from "./providers.js"
export * from "./store.js"
export { documentOrigin, type NewSync, startSync } from "./syncs.js"
