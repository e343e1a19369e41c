import * as Effect from "effect/Effect"
import { Caller, Ids, traced } from "../kernel/index.js"
import { chainStart } from "./chain.js"
import { ChainTrace, ChainWalk } from "./chain-check.js"
import { explainChain } from "./explain-chain.js"
import { lostTail } from "./kept-heads.js"
import type { ChainFinding, ChainHead, ChainReport, StoredEvent } from "./model.js"
import { AuditLog } from "./store.js"

/** Options of a chain verification. */
export interface VerifyAuditOptions {
  /** A former head hash that was stored elsewhere; it must still be in the chain. */
  readonly head?: string
  /** Events read so far, of about the given total. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void
}

const eventsPerPage = 500
const findingsMax = 1000

/**
 * Verifies the whole chain of the workspace and reports every changed, removed, inserted or reordered event. Reads
 * page by page, lets other work run in between, and includes events appended meanwhile.
 */
export const verifyAudit = traced("audit.verify")(function* ({
  head: kept,
  onProgress
}: VerifyAuditOptions = {}) {
  const [{ sha256 }, { workspace }] = [yield* Ids, yield* Caller]
  const start = chainStart(workspace, sha256)
  const lost = yield* lostTail(workspace)
  const walk = new ChainWalk(start, sha256, kept)
  const head = yield* walkChain((event, end) => {
    walk.next(event)
    if (walk.events % eventsPerPage === 0) onProgress?.({ done: walk.events, total: end?.position ?? 0 })
  })
  const end = walk.end(head)
  const trace = new ChainTrace(start, walk.breaks, head)
  if (walk.breaks.length > 0) yield* walkChain((event) => trace.next(event))
  const met = explainChain(walk, trace, head)
  // A new workspace has neither event nor head; if changes exist, both were deleted.
  const isEmptied = head === null && walk.events === 0 && (yield* (yield* AuditLog).isOwed(workspace))
  const findings = [
    ...met,
    ...(isEmptied ? [trailIsGone] : []),
    ...(met.length === 0 && end === "differs" ? [headMiscounted(walk.last.position)] : []),
    ...(lost === null ? [] : [lost]),
    ...(kept !== undefined && walk.keptPosition === null ? [keptIsGone] : [])
  ]
  const report: ChainReport = {
    ok: findings.length === 0,
    events: walk.events,
    head: head ?? { position: walk.last.position, hash: walk.last.hash },
    kept: kept === undefined ? null : { hash: kept, position: walk.keptPosition },
    findings: findings.slice(0, findingsMax),
    differences: findings.length + walk.untold
  }
  return report
})

/** Calls `show` for every event in chain order; returns the stored head after the last one. */
const walkChain = (show: (event: StoredEvent, end: ChainHead | null) => void) =>
  Effect.gen(function* () {
    const [log, { workspace }] = [yield* AuditLog, yield* Caller]
    // Positions start at 1, but a tampered event may have any position.
    for (let after = -Number.MAX_SAFE_INTEGER; ; ) {
      const { events, head } = yield* log.page(workspace, after, eventsPerPage)
      for (const event of events) show(event, head)
      const last = events.at(-1)
      if (last === undefined || events.length < eventsPerPage) return head
      after = last.position
      yield* Effect.sleep(0)
    }
  })

const headMiscounted = (position: number): ChainFinding => ({
  fault: "head",
  position,
  id: null,
  count: 1,
  message: "the head of the chain states another number of events than there are"
})

const trailIsGone: ChainFinding = {
  fault: "removed",
  position: 1,
  id: null,
  count: 1,
  message: "all events and the head of the chain are missing, but the changes that they record exist"
}

const keptIsGone: ChainFinding = {
  fault: "anchor",
  position: 0,
  id: null,
  count: 1,
  message: "no event has the given hash: the event was removed or rewritten"
}
