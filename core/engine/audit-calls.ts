import type * as Effect from "effect/Effect"
import {
  type AuditPage,
  auditHead,
  type ChainHead,
  type ChainReport,
  type VerifyAuditOptions,
  verifyAudit
} from "../audit/index.js"
import type { Caller, Fault } from "../kernel/index.js"
import { operations } from "../operations.js"
import type { Ports } from "../ports.js"
import type { Call } from "./calls.js"

/** The calls of the embedded engine that are about the audit trail. */
export interface AuditCalls {
  readonly audit: {
    /** Who did what, newest first; a cursor is the `nextCursor` of the page before. Times as timestamps or days. */
    readonly list: (options?: {
      readonly limit?: number
      readonly cursor?: string
      readonly action?: string
      readonly subjectId?: string
      readonly actor?: string
      readonly from?: string
      readonly to?: string
    }) => Promise<AuditPage>
    /**
     * Reads the whole chain and names every event that was changed, inserted or moved, and where events are gone. With
     * `head`, a hash that was kept elsewhere, it also tells whether that one still stands in the chain.
     */
    readonly verify: (options?: VerifyAuditOptions) => Promise<ChainReport>
    /** Where the chain ends now: keep the hash elsewhere, and nobody can rewrite what came before it unseen. */
    readonly head: () => Promise<ChainHead>
  }
}

export const auditCalls = (
  call: Call,
  run: <A>(effect: Effect.Effect<A, Fault, Ports | Caller>) => Promise<A>
): AuditCalls => ({
  audit: {
    list: (input = {}) => call(operations.listAuditEvents, input),
    verify: (options) => run(verifyAudit(options ?? {})),
    head: () => run(auditHead)
  }
})
