/** Keeps files and rows consistent: sync, reconciliation and re-indexing. */
export { fileFindings, inspectFiles } from "./inspect-files.js"
export { inspectTrash } from "./inspect-trash.js"
export { reconcileFiles, waitForWriters } from "./reconcile.js"
export { reindexDocuments } from "./reindex.js"
export {
  countUnsyncedFiles,
  fileSync,
  type Remark,
  syncVault
} from "./sync.js"
