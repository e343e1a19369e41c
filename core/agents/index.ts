/**
 * Agents and their runs: a run is a journal that is folded into a state, which says what is to be done next. Tools,
 * guardrails and models are handed in; this room knows none of the others' knowledge.
 */
export { type Advanced, advance, effectsOf, fold, promptText, type RunEffect } from "./advance.js"
export { defaultSlug } from "./agents.js"
export { citeText } from "./citations.js"
export { driveRun } from "./drive.js"
export { eventOfStep, terminalEvent } from "./events.js"
export { RunFeed, runFeed } from "./feed.js"
export { reconcileHandler, runHandler } from "./jobs.js"
export { leaseMs, RunLeaseLost } from "./journal.js"
export * from "./machine.js"
export * from "./model.js"
export {
  addRunFeedback,
  agentOperations,
  approveRunStep,
  cancelRun,
  getAgent,
  getRun,
  listAgents,
  listRunSteps,
  listRuns,
  putAgent,
  RunStarted,
  streamRun
} from "./operations.js"
export { planModel, planModelId } from "./plan-model.js"
export * from "./replay.js"
export { findRun } from "./runs.js"
export { handOffRuns, startInline, startRun } from "./start.js"
export * from "./state.js"
export * from "./store.js"
export * from "./toolbox.js"
