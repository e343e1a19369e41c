import type { Recurring } from "../jobs/index.js"
import { jobKinds } from "../jobs/index.js"

/** How often work comes by itself in each workspace, in milliseconds; 0 switches it off. */
export interface MaintenanceIntervals {
  /** Files against rows, and what a crash left; 60,000 by default. */
  readonly reconcileEveryMs?: number
  /** Agent runs that nobody works on, and approvals that have expired; 60,000 by default. */
  readonly agentRunsEveryMs?: number
  /** What is older than the workspace keeps it; 600,000 by default. */
  readonly retentionEveryMs?: number
  /** What became due for review; 3,600,000 by default. */
  readonly stalenessEveryMs?: number
}

/** The one place of these intervals. */
export const defaultMaintenanceIntervals = {
  reconcileEveryMs: 60_000,
  agentRunsEveryMs: 60_000,
  retentionEveryMs: 600_000,
  stalenessEveryMs: 3_600_000
} as const satisfies Required<MaintenanceIntervals>

/** The work that comes by itself, without what is switched off. */
export const recurringJobs = (times: MaintenanceIntervals = {}): ReadonlyArray<Recurring> => {
  const { agentRunsEveryMs, reconcileEveryMs, retentionEveryMs, stalenessEveryMs } = {
    ...defaultMaintenanceIntervals,
    ...times
  }
  return [
    { kind: jobKinds.reconcile, everyMs: reconcileEveryMs },
    { kind: jobKinds.agentRuns, everyMs: agentRunsEveryMs },
    { kind: jobKinds.retention, everyMs: retentionEveryMs },
    { kind: jobKinds.staleness, everyMs: stalenessEveryMs }
  ].filter(({ everyMs }) => everyMs > 0)
}
