/** The catalogue of documents: content, versions, verification, and writes of rows and files. */
export { getDocumentAccess, setDocumentAccess } from "./access.js"
export { Chunker, type Cut, chunkerId, cutBy, type OwnChunker, type TextToCut } from "./chunker.js"
export { type Change, changeTo, commitChanges, documentsChanged, passagesOf } from "./commit.js"
export {
  CompletedFileOperations,
  changeTransaction,
  completedFileOperations,
  flushCompletedFileOperations,
  hasPendingOperation,
  pendingOperations
} from "./completed-file-operations.js"
export { deletedIn, deletedText, mayReadDeleted, withoutOwnWords, withoutQuotes } from "./deleted-quotes.js"
export {
  beingChanged,
  changedOutside,
  commitWithFileOperation,
  isUndone,
  liveDocument,
  publishChange,
  syncBeforeWrite
} from "./file-write.js"
export * from "./format.js"
export {
  createFromSource,
  currentDocument,
  replaceFromSource,
  restoreFromSource,
  type SourcedText
} from "./from-source.js"
export { statesAt, wasOtherThen } from "./history.js"
export { Indexing, IndexingProgress, withIndexing } from "./indexing.js"
export * from "./inspection.js"
export { create, decide } from "./machine.js"
export * from "./model.js"
export * as documentOperations from "./operations.js"
export {
  asUtf8,
  contentBytesMax,
  decodeContent,
  fileBytesMax,
  LongTextParser,
  type ParsedContent,
  type ParsedFile,
  parseContent,
  readContent,
  readFile
} from "./parse-file.js"
export { documentsOf, passagesOfVersion, readPast, unindexed } from "./past.js"
export { recoverPendingWrites } from "./pending-files.js"
export { finishedRepair, finishOperation, type Repair } from "./pending-operations.js"
export * from "./proposed-document.js"
export { LongTextRenderer, rendered } from "./rendered.js"
export { pruneVersions, purgeTrash } from "./retention.js"
export {
  contentBytes,
  createDocument,
  deleteDocument,
  readOnly,
  replaceDocument,
  restoreDocument,
  staleVersion
} from "./service.js"
export { verificationTable } from "./states.js"
export * from "./store.js"
export { trashedText } from "./trashed-text.js"
export { mayOnlyPropose, refuseOthers } from "./verifier.js"
export { noPreviousFile, read, refuseDuplicateContent, refuseTakenPath, saveResult } from "./write-checks.js"
