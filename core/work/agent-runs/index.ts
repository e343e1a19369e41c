/**
 * Working on a run of an agent: the journal, its fold into a state, and the steps that the state asks for. Tools,
 * guardrails and models are handed in.
 */
export { advance, effectsOf, foldJournal, promptText, type RunEffect } from "./advance.js"
export * from "./agent-model.js"
export { agentsModel } from "./chat.js"

export { driveRun } from "./drive.js"
export { storeEnd } from "./end.js"
export * from "./event-model.js"
export { eventOfStep, terminalEvent } from "./events.js"
export * from "./feedback-model.js"
export { leaseMs } from "./journal.js"
export * from "./machine.js"
export * from "./model.js"
export { planModelId, planTool } from "./plan-model.js"
export * from "./state.js"
export * from "./store.js"
export * from "./toolbox.js"
