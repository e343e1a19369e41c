/** Agents and their versions; starting, watching, deciding, replaying and forking runs, which `agent-runs` executes. */

export { RunFeed, runFeed } from "./feed.js"
export { reconcileHandler, runHandler } from "./jobs.js"
export {
  agentOperations,
  RunStarted
} from "./operations.js"
export * from "./replay.js"
export { findRun } from "./runs.js"
export { handOffRuns, startInline, startRun } from "./start.js"
