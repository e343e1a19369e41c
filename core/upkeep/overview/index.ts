/** Read-only views across rooms: manifest, lineage, stewardship, and passages with their context. */
export { type AnswerQuery, addAnswerFeedback, getAnswer, listAnswers } from "./answers.js"
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
export * from "./report-model.js"
export * as reportOperations from "./report-operations.js"
export * from "./report-store.js"
export { reportHtml, reportMarkdown } from "./report-text.js"
export { manifest, noteOverdue, workspaceView } from "./service.js"
export * from "./store.js"
