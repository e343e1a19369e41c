/** Inspection of a workspace, rebuilding of its derived data, and recovery at start-up. */
export { findingKinds } from "./findings.js"
export { type DoctorOptions, type DoctorReport, inspectWorkspace } from "./inspect.js"

export { recoverAtStartup } from "./startup-recovery.js"
