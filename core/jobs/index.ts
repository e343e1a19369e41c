/**
 * Durable work behind the calls: leased by one process at a time, retried, kept when it fails for good; and
 * announcements, by which a room lets others follow a change without knowing them.
 */
export * from "./handler.js"
export { inspectJobs, jobFindings } from "./inspect.js"
export * from "./inspection.js"
export { jobKinds, leadsTo } from "./job-kinds.js"
export * from "./model.js"
export * from "./operations.js"
export { NotesOrigins } from "./origin.js"
export type { Ended } from "./perform.js"
export { withRebuildLock } from "./rebuild-lock.js"
export * from "./retry.js"
export * from "./service.js"
export * from "./store.js"
export { whileWritable } from "./while-writable.js"
export * from "./worker.js"
