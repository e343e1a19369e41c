/** A whole workspace as one stream of records, out and in: an export of an import is the same, byte by byte. */
export { inspectRecords, recordFindings } from "./inspect-records.js"
export * from "./model.js"
export type { ReadOptions } from "./reader.js"
export { exportWorkspace, type Imported, loadExport, refuseFullVault, verifyExport } from "./service.js"
export * from "./store.js"
export { storedOf } from "./trail.js"
