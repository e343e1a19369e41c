import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { record } from "../../platform/audit/index.js"
import { withRebuildLock } from "../../platform/jobs/index.js"
import { atomically, Caller, type Finding, traced } from "../../platform/kernel/index.js"
import { type FindingCode, FindingLog, findingKinds } from "./findings.js"
import { type DoctorChecked, type DoctorProgress, inspectParts, type ReportProgress } from "./parts.js"
import { type FollowUpJobs, runFollowUpJobs } from "./rebuild.js"

/** Options of an inspection. */
export interface DoctorOptions {
  /** Reconciles files with the database and rebuilds derived data that differs; false by default. */
  readonly repair?: boolean
  readonly onProgress?: (progress: DoctorProgress) => void
}

/** The result of an inspection. */
export interface DoctorReport {
  /** Whether no difference remains: none was found, or all were repaired. */
  readonly ok: boolean
  /** Number of differences that remain. */
  readonly differences: number
  /** Number of differences that were repaired. */
  readonly repaired: number
  readonly remarks: number
  /** At most 100 of each kind; one more finding without a subject counts the others of the kind. */
  readonly findings: ReadonlyArray<Finding>
  readonly checked: DoctorChecked
  readonly durationMs: number
}

/** Differences that no rebuild corrects. */
const notRebuilt: ReadonlyArray<FindingCode> = ["audit_broken", "file_unreadable", "record_impossible"]

const rebuilt = Object.keys(findingKinds).filter((code) => !notRebuilt.some((kept) => kept === code))

/** A rebuild is followed by another inspection, at most this many times. */
const roundsMax = 3

/**
 * Inspects the workspace: files against rows, derived data against primary data, the audit chain, the database. With
 * `repair`, reconciles files and rebuilds derived data; damaged primary rows are reported and left untouched.
 *
 * May run beside ordinary work: each difference is confirmed in a transaction, so that a write in progress is not
 * reported. Only one rebuild of a workspace runs at a time.
 */
export const inspectWorkspace = traced("doctor")(function* <R>(
  { onProgress, repair = false }: DoctorOptions,
  jobs: FollowUpJobs<R>
) {
  const reportProgress: ReportProgress = (progress) => Effect.sync(() => onProgress?.(progress))
  const inspection = inspectInRounds({ rebuild: repair, jobs, reportProgress })
  return yield* repair ? withRebuildLock(inspection) : inspection
})

const inspectInRounds = <R>({
  jobs,
  rebuild,
  reportProgress
}: {
  readonly rebuild: boolean
  readonly jobs: FollowUpJobs<R>
  readonly reportProgress: ReportProgress
}) =>
  Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    const all = new FindingLog()
    for (let round = 1; ; round++) {
      const log = new FindingLog()
      const isRebuilding = rebuild && round <= roundsMax
      const checked = yield* inspectParts(log, { rebuild: isRebuilding, kinds: jobs.kinds, reportProgress })
      all.merge(log)
      if (!isRebuilding || !log.hasDifference(rebuilt)) {
        const findings = all.resolved(log, ["audit_broken"])
        yield* recordRepairs(findings)
        return reportOf(findings, checked, (yield* Clock.currentTimeMillis) - startedAt)
      }
      yield* runFollowUpJobs(jobs, reportProgress)
    }
  })

const reportOf = (
  findings: ReadonlyArray<Finding>,
  checked: DoctorChecked,
  durationMs: number
): DoctorReport => {
  const differences = findings.filter(({ severity }) => severity === "difference")
  const remaining = differences.filter(({ repaired }) => !repaired).length
  return {
    ok: remaining === 0,
    differences: remaining,
    repaired: differences.length - remaining,
    remarks: findings.length - differences.length,
    findings,
    checked,
    durationMs
  }
}

/** Records one audit event for each kind of finding that was repaired. */
const recordRepairs = (findings: ReadonlyArray<Finding>) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const counts = new Map<string, number>()
    for (const { code, count, repaired } of findings)
      if (repaired) counts.set(code, (counts.get(code) ?? 0) + count)
    if (counts.size === 0) return
    yield* atomically(
      record(
        [...counts].map(([code, count]) => ({
          action: "workspace.repair",
          subjectId: workspace,
          details: { code, count }
        }))
      )
    )
  })
