export { canonicalJson } from "./canonical.js"
export * from "./model.js"
export { exportWorkspace, type Imported, loadExport, refuseFullVault, verifyExport } from "./service.js"
export * from "./store.js"
