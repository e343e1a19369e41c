/** Read-only views across rooms: manifest, lineage, stewardship, and passages with their context. */

export { addAnswerFeedback, getAnswer, listAnswers } from "./answers.js"
export {
  deleteConversation,
  getConversation,
  listConversations,
  renameConversation
} from "./conversations.js"
export {
  DocumentLineage,
  DuplicatePage,
  StewardshipPage,
  type TendedDocument,
  type TendedEntity
} from "./governance-model.js"
export { foreignChanges, inboxMarks, markInbox, pairId } from "./inbox.js"
export * from "./inbox-store.js"
export {
  ChunkView,
  HubConcept,
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
export { noteOverdue, workspaceView } from "./service.js"
export * from "./store.js"
export * from "./trash-store.js"
