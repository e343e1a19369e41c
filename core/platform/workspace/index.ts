/** Name and settings of a workspace, with their defaults. */
export {
  changedChoices,
  chatEnabledAfter,
  type ModelsChange,
  mergeChange,
  plainPart,
  WorkspaceChange,
  type WorkspaceChangeInput,
  withoutCredentials
} from "./change.js"
export * from "./mcp-servers.js"
export * from "./model.js"
export { changeSettings, modelsIn, nextReview } from "./service.js"
export * from "./store.js"
export { addUsage, counted, countedAtOnce, countUses } from "./usage.js"
