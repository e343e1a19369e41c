import type * as Effect from "effect/Effect"

/**
 * How much a finding says. A `difference`: two things that must agree do not, or something is damaged. A `remark`:
 * worth knowing, while everything agrees.
 */
export type Severity = "difference" | "remark"

/** What an examination of stored data met. */
export interface Finding {
  /** One of the kinds that the room lists; stable. */
  readonly code: string
  readonly severity: Severity
  /** What it is about: a vault path, an id, a name; empty when it is about the whole. */
  readonly subject: string
  /** What is wrong, in words; with nothing of a document's text. */
  readonly message: string
  /** How many things of the subject it is about; at least 1. */
  readonly count: number
  /** Whether it was mended, and found whole afterwards. */
  readonly repaired: boolean
}

/** One thing that a room met, as it tells it. */
export interface Symptom extends Pick<Finding, "subject" | "message"> {
  readonly count?: number
}

/** Examines one room's data, page by page, and mends what it finds where that is wanted. */
export interface Examiner<Code extends string> {
  readonly repair: boolean
  readonly tell: (code: Code, symptom: Symptom) => Effect.Effect<void>
  /** Things looked at so far, of about so many. */
  readonly progress: (done: number, total: number) => Effect.Effect<void>
}
