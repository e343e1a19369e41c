/** Export and import of a whole workspace as a stream of records; exporting an import gives the same bytes. */
export { inspectRecords, recordFindings } from "./inspect-records.js"
export * from "./model.js"
export type { ReadOptions } from "./reader.js"
export { exportWorkspace, type Imported, loadExport, refuseFullVault, verifyExport } from "./service.js"
export * from "./store.js"
export { storedOf } from "./trail.js"
