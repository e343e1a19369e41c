import type { Recurring } from "../../platform/jobs/index.js"
import { jobKinds } from "../../platform/jobs/index.js"

/** Intervals of recurring jobs per workspace in milliseconds; 0 disables a job. */
export interface MaintenanceIntervals {
  /** Reconciles files with rows and repairs after a crash; default 60,000. */
  readonly reconcileEveryMs?: number
  /** Recovers abandoned agent runs and expires approvals; default 60,000. */
  readonly agentRunsEveryMs?: number
  /** Starts the syncs of content connectors that are due, and continues abandoned ones; default 60,000. */
  readonly connectorsEveryMs?: number
  /** Deletes what exceeds its retention; default 600,000. */
  readonly retentionEveryMs?: number
  /** Records what became due for review; default 3,600,000. */
  readonly stalenessEveryMs?: number
  /** Compares documents that changed with all others; default 3,600,000. */
  readonly contradictionsEveryMs?: number
}
export const defaultMaintenanceIntervals = {
  reconcileEveryMs: 60_000,
  agentRunsEveryMs: 60_000,
  connectorsEveryMs: 60_000,
  retentionEveryMs: 600_000,
  stalenessEveryMs: 3_600_000,
  contradictionsEveryMs: 3_600_000
} as const satisfies Required<MaintenanceIntervals>

/** Returns the recurring jobs that are enabled. */
export const recurringJobs = (times: MaintenanceIntervals = {}): ReadonlyArray<Recurring> => {
  const intervals = { ...defaultMaintenanceIntervals, ...times }
  const { agentRunsEveryMs, connectorsEveryMs, contradictionsEveryMs } = intervals
  const { reconcileEveryMs, retentionEveryMs, stalenessEveryMs } = intervals
  return [
    { kind: jobKinds.reconcile, everyMs: reconcileEveryMs },
    { kind: jobKinds.agentRuns, everyMs: agentRunsEveryMs },
    { kind: jobKinds.syncSchedule, everyMs: connectorsEveryMs },
    { kind: jobKinds.retention, everyMs: retentionEveryMs },
    { kind: jobKinds.staleness, everyMs: stalenessEveryMs },
    { kind: jobKinds.contradictions, everyMs: contradictionsEveryMs }
  ].filter(({ everyMs }) => everyMs > 0)
}
