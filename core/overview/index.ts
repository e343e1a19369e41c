/** Read-only views across rooms: manifest, lineage, stewardship, and passages with their context. */
export {
  DocumentLineage,
  type Duplicate,
  DuplicatePage,
  StewardshipPage,
  StewardshipView,
  type TendedDocument,
  type TendedEntity
} from "./governance-model.js"
export {
  ChunkView,
  HubConcept,
  hubConceptsMax,
  Manifest,
  MemberPage,
  RequestOverview,
  WorkspaceView
} from "./model.js"
export * as overviewOperations from "./operations.js"
export { noteOverdue } from "./overdue.js"
export { manifest, workspaceView } from "./service.js"
export * from "./store.js"
