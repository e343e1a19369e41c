/**
 * The words that every room speaks: ids, times, names, the caller, faults, operations, paging and the unit of work.
 * Lowest of all, so that no room needs another for them.
 */
export * from "./atomic.js"
export * from "./caller.js"
export * from "./collections.js"
export * from "./crash-point.js"
export * from "./fault.js"
export * from "./fault-code.js"
export * from "./finding.js"
export * from "./ids.js"
export * from "./json-bounds.js"
export * from "./name-norm.js"
export * from "./normal-form.js"
export * from "./operation.js"
export * from "./paging.js"
export * from "./service-layer.js"
export * from "./span.js"
export * from "./state-table.js"
export * from "./storage.js"
export * from "./text.js"
export * from "./time.js"
export * from "./yield-to-event-loop.js"
