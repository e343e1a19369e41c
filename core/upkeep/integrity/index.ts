/** Inspection of a workspace, rebuilding of its derived data, and recovery at start-up. */
export { type FindingCode, findingKinds } from "./findings.js"
export { type DoctorOptions, type DoctorReport, inspectWorkspace } from "./inspect.js"
export type { DoctorChecked, DoctorProgress } from "./parts.js"
export { recoverAtStartup } from "./startup-recovery.js"
