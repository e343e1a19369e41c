import { z } from "zod"
import { AuditId, Timestamp } from "../kernel/index.js"

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** An audit event; never changed or removed. */
export const AuditEvent = z.object({
  id: AuditId,
  action: z.string().describe("`<subject>.<verb>`, for example `document.replace`."),
  actor: z.string().describe("A key's or member's id, `local` on the command line, `system` for jobs."),
  activity: z.string().describe("The door: `ui`, `api`, `mcp`, `extraction:<job>`, `change_request:<id>`."),
  subjectId: z.string(),
  at: Timestamp,
  details: z.record(z.string(), z.unknown()),
  requestId: z.string().nullable().describe("The `x-request-id` that brought the call; null without one."),
  prevHash: Sha256.describe("The hash of the event before; of the first, one that names the workspace."),
  hash: Sha256.describe("SHA-256 of the canonical JSON (RFC 8785) of this event without `hash`.")
})
export type AuditEvent = z.infer<typeof AuditEvent>

/** An event before it is linked into the chain. */
export type AuditDraft = Omit<AuditEvent, "prevHash" | "hash">

/** An event as stored, not validated. */
export interface StoredEvent extends Omit<AuditEvent, "details"> {
  /** Position in the chain, from 1. */
  readonly position: number
  /** Canonical JSON of the details, byte for byte. */
  readonly details: string
}

/** The end of a chain, to which the next event links. Position 0 is an empty chain. */
export interface ChainHead {
  readonly position: number
  readonly hash: string
}

/** Filter of events; all given conditions must hold. */
export interface AuditFilter {
  readonly action?: string | undefined
  readonly subjectId?: string | undefined
  readonly actor?: string | undefined
  /** Inclusive lower bound. */
  readonly from?: string | undefined
  /** Exclusive upper bound. */
  readonly to?: string | undefined
}

/** A page of the audit trail, newest event first, with the head of its chain. */
export const AuditPage = z.object({
  items: z.array(AuditEvent),
  total: z.int().describe("All that the filter lets through."),
  nextCursor: z.string().nullable().describe("Where the next page begins; null on the last."),
  chain: z.object({
    head: Sha256.describe(
      "The hash of the newest event: kept elsewhere, it proves later that nothing was rewritten."
    ),
    verified: z
      .boolean()
      .describe(
        "Whether every event of the page bears its own hash and follows the event before it, and the newest is the head. The whole chain is checked by `kanon audit verify`."
      )
  })
})
export type AuditPage = z.infer<typeof AuditPage>

/** Kinds of faults in a chain. */
export const chainFaults = [
  "changed",
  "removed",
  "inserted",
  "reordered",
  "misnumbered",
  "head",
  "anchor"
] as const
/** Fault of a chain: at an event (`changed` to `misnumbered`), at its `head`, or at an externally stored `anchor`. */
export type ChainFault = (typeof chainFaults)[number]

/** A fault found in a chain. */
export interface ChainFinding {
  readonly fault: ChainFault
  /** Position from 1: that of the event, or of the first missing one. */
  readonly position: number
  /** The event; null if it is missing or the fault concerns several. */
  readonly id: AuditId | null
  /** Number of events affected. */
  readonly count: number
  readonly message: string
}

/** Result of a verification of the whole chain. */
export interface ChainReport {
  readonly ok: boolean
  /** Number of events read. */
  readonly events: number
  /** The end of the chain. */
  readonly head: ChainHead
  /** The externally stored hash and its position; null if none was given. */
  readonly kept: { readonly hash: string; readonly position: number | null } | null
  /** The first 1,000 faults in chain order. */
  readonly findings: ReadonlyArray<ChainFinding>
  /** Total number of faults. */
  readonly differences: number
}
