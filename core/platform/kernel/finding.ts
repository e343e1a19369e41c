import type * as Effect from "effect/Effect"

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
