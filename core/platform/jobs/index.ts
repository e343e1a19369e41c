/**
 * Durable background jobs: leased by one process at a time, retried, and kept when they fail for good. Rooms publish
 * announcements, to which other rooms subscribe with jobs.
 */
export * from "./handler.js"
export { inspectJobs, jobFindings } from "./inspect.js"
export { jobKinds, leadsTo } from "./job-kinds.js"
export * from "./model.js"
export * from "./operations.js"
export { NotesOrigins } from "./origin.js"
export type { Ended } from "./perform.js"
export { withRebuildLock } from "./rebuild-lock.js"
export * from "./retry.js"
export * from "./service.js"
export * from "./store.js"
export * from "./worker.js"
