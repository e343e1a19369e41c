import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { record } from "../audit/index.js"
import { documentsChanged } from "../documents/index.js"
import { announce, drain, enqueue, inRepairTurn, startWorker } from "../jobs/index.js"
import { jobKinds, leadsTo } from "../jobs/job-kinds.js"
import { whileWritable } from "../jobs/while-writable.js"
import { atomically, Caller, type Finding, traced } from "../kernel/index.js"
import { handlers } from "../wiring.js"
import { DoctorLedger } from "./doctor-ledger.js"
import { type DoctorChecked, type DoctorProgress, examine, type Tell } from "./doctor-parts.js"

/** Whether an examination mends, and whom it tells how far it is. */
export interface DoctorOptions {
  /** Mends what it finds; by default it only looks. */
  readonly repair?: boolean
  readonly onProgress?: (progress: DoctorProgress) => void
}

/** What a doctor met and did. */
export interface DoctorReport {
  /** No difference stands: none was met, or all were mended. */
  readonly ok: boolean
  /** Findings that are differences and still stand. */
  readonly differences: number
  /** Findings that were differences and were mended. */
  readonly repaired: number
  readonly remarks: number
  /** At most 100 of a kind one by one; the others of the kind are one finding without a subject. */
  readonly findings: ReadonlyArray<Finding>
  readonly checked: DoctorChecked
  readonly durationMs: number
}

/** The process that examines. */
export interface DoctorHost {
  /** Names this process as a worker. */
  readonly owner: string
  /** Whether this process works on jobs already; else a repair does so until they are done. */
  readonly works: boolean
}

/** Mending looks again afterwards, and mends what came to light then; so often at most. */
const roundsMax = 3

/**
 * Compares everything that is stored with what it was made from and, if asked, mends what differs: with the units of
 * work, the jobs and the rules of ordinary work, so that it may run beside it. Differences are judged twice, the
 * second time while nobody writes, so that a write in flight is none. One repairs at a time, so that each difference is
 * mended, and told, once.
 */
export const doctor = traced("doctor")(function* (
  { onProgress, repair = false }: DoctorOptions,
  host: DoctorHost
) {
  const examined = examineAll({ repair, host, onProgress })
  return yield* repair ? inRepairTurn(examined) : examined
})

const examineAll = ({
  host,
  onProgress,
  repair
}: {
  readonly host: DoctorHost
  readonly onProgress: DoctorOptions["onProgress"]
  readonly repair: boolean
}) =>
  Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    const tell = (progress: DoctorProgress) => Effect.sync(() => onProgress?.(progress))
    const met = new DoctorLedger()
    for (let round = 1; ; round++) {
      const ledger = new DoctorLedger()
      const isMending = repair && round <= roundsMax
      const checked = yield* examine(ledger, isMending, tell)
      met.add(ledger)
      if (!isMending || !ledger.hasDifferences) {
        const findings = met.findings(ledger, ["audit_broken"])
        yield* remember(findings)
        const durationMs = (yield* Clock.currentTimeMillis) - startedAt
        return reportOf(findings, checked, durationMs)
      }
      yield* workOff(host, tell)
    }
  })

const reportOf = (
  findings: ReadonlyArray<Finding>,
  checked: DoctorChecked,
  durationMs: number
): DoctorReport => {
  const differences = findings.filter(({ severity }) => severity === "difference")
  const standing = differences.filter(({ repaired }) => !repaired).length
  return {
    ok: standing === 0,
    differences: standing,
    repaired: differences.length - standing,
    remarks: findings.length - differences.length,
    findings,
    checked,
    durationMs
  }
}

/** Has the work done that follows from mended data: whoever works, it is waited for. */
const workOff = ({ owner, works }: DoctorHost, tell: Tell) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    yield* atomically(
      Effect.zipRight(
        announce(documentsChanged, {}),
        enqueue([{ kind: jobKinds.analytics, dedupeKey: jobKinds.analytics }])
      )
    )
    if (!works) yield* startWorker(handlers, { owner: `${owner}/doctor` })
    yield* whileWritable(
      drain(workspace, {
        leadsTo,
        onChange: ({ running, waiting }) => tell({ phase: "work", done: 0, total: running + waiting })
      })
    )
  }).pipe(Effect.scoped)

/** What was mended stands in the trail: one event for each kind. */
const remember = (findings: ReadonlyArray<Finding>) =>
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
