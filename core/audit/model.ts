import { z } from "zod"
import { AuditId, Timestamp } from "../kernel/index.js"

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** One fact about who did what; never changed, never removed. */
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

/** An event before it has its place in the chain. */
export type AuditDraft = Omit<AuditEvent, "prevHash" | "hash">

/** An event as it is stored, of which nothing is known but that somebody wrote it there. */
export interface StoredEvent extends Omit<AuditEvent, "details"> {
  /** Its place in the chain, from 1. */
  readonly position: number
  /** The canonical JSON of the details, byte for byte. */
  readonly details: string
}

/** Where a chain ends: what the next event follows. Position 0 is the beginning. */
export interface ChainHead {
  readonly position: number
  readonly hash: string
}

/** Which events are meant; of several conditions all must hold. */
export interface AuditFilter {
  readonly action?: string | undefined
  readonly subjectId?: string | undefined
  readonly actor?: string | undefined
  /** At this moment or after it. */
  readonly from?: string | undefined
  /** Before this moment. */
  readonly to?: string | undefined
}

/** A page of the audit trail, the newest event first, with the end of the chain that it belongs to. */
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

/** What is wrong with one place of a chain. */
export const chainFaults = [
  "changed",
  "removed",
  "inserted",
  "reordered",
  "misnumbered",
  "head",
  "anchor"
] as const
/**
 * How a chain of events can be broken: at an event (`changed` to `misnumbered`), or at its `head` or an `anchor`
 * that was kept elsewhere.
 */
export type ChainFault = (typeof chainFaults)[number]

/** One thing that is wrong with a chain. */
export interface ChainFinding {
  readonly fault: ChainFault
  /** Where, counted from 1: the place of the event that is named, or the first of those that are missing. */
  readonly position: number
  /** The event; null where it is gone, or it is about no single one. */
  readonly id: AuditId | null
  /** How many events it is about. */
  readonly count: number
  readonly message: string
}

/** What an examination of the whole chain came to. */
export interface ChainReport {
  readonly ok: boolean
  /** Events that were read. */
  readonly events: number
  /** Where the chain ends. */
  readonly head: ChainHead
  /** The hash that was kept elsewhere and where it stands; null where none was given. */
  readonly kept: { readonly hash: string; readonly position: number | null } | null
  /** Everything that is wrong, in the order of the chain; the first 1,000. */
  readonly findings: ReadonlyArray<ChainFinding>
  /** How many findings there are in all. */
  readonly differences: number
}
