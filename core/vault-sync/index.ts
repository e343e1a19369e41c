/** Keeps files and rows in line: sync, reconciliation and re-indexing. */
export { checkFiles, fileFindings, patienceMs } from "./check-files.js"
export { finishPendingOperations, letWritersEnd, type Repair, reconcileFiles } from "./reconcile.js"
export { reindexDocuments } from "./reindex.js"
export { type Remark, type SyncOptions, type SyncReport, syncVault } from "./sync.js"
