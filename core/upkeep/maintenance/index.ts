/** Recurring jobs, jobs started by people, and changes of settings, which may start jobs. */
export { maintenanceJobs } from "./maintenance-jobs.js"
export { defaultMaintenanceIntervals, type MaintenanceIntervals, recurringJobs } from "./recurring-jobs.js"
export { startJob } from "./start-job.js"
export { updateWorkspace } from "./update-workspace.js"
