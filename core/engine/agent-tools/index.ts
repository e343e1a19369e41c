/** What agents work with: operations as tools, functions of the product, MCP tools, and the guard of a run. */
export { runGuard } from "./run-guard.js"
export { toolbox } from "./toolbox.js"
