/** Provides the tools of agents (operations, product functions, MCP tools) and the guard of a run. */
export { runGuard } from "./run-guard.js"
export { toolbox } from "./toolbox.js"
