import * as Effect from "effect/Effect"
import { atomically } from "./atomic.js"

/**
 * How serious a finding is. A `difference`: two things that must agree do not, or something is damaged. A `remark`:
 * worth knowing, while everything agrees.
 */
export type Severity = "difference" | "remark"

/** Something that an inspection of stored data found. */
export interface Finding {
  /** The kind of finding; stable. */
  readonly code: string
  readonly severity: Severity
  /** The subject: a vault path, an id, or a table with a row; empty for the whole workspace. */
  readonly subject: string
  /** Description of the problem; contains no document text. */
  readonly message: string
  /** Number of affected items of the subject; at least 1. */
  readonly count: number
  /** Whether a rebuild corrected it, and a second inspection no longer found it. */
  readonly repaired: boolean
}

/** A finding as a room reports it. */
export interface FindingDetail extends Pick<Finding, "subject" | "message"> {
  readonly count?: number
}

/** Passed to the inspection of each room: receives the findings, and says whether derived data is rebuilt. */
export interface Inspector<Code extends string> {
  /** Whether to rebuild what differs. */
  readonly rebuild: boolean
  readonly report: (code: Code, detail: FindingDetail) => Effect.Effect<void>
  /** Items inspected so far, of about this total. */
  readonly progress: (done: number, total: number) => Effect.Effect<void>
}

/** The advice for damaged primary data, which exists nowhere else and cannot be rebuilt. */
export const restoreAdvice = "Restore this workspace from a backup or an export."

/** Reports how many rows of derived data are wrong, and derives them again in a rebuild. */
export const inspectCount = <Code extends string, E, R, E2, R2>(
  inspector: Inspector<Code>,
  code: Code,
  options: {
    /** Taken again in the transaction that reports it: a write in progress is no finding. */
    readonly count: Effect.Effect<number, E, R>
    readonly message: string
    readonly rebuild: Effect.Effect<unknown, E2, R2>
  }
) =>
  Effect.gen(function* () {
    const count = yield* options.count
    if (count === 0) return
    yield* inspector.report(code, { subject: "", message: options.message, count })
    if (inspector.rebuild) yield* options.rebuild
  }).pipe(atomically, Effect.whenEffect(Effect.map(options.count, (count) => count > 0)))
