import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type AuditId, Caller, currentView, Ids, invalid, now, seeingAll, traced } from "../kernel/index.js"
import { chainStart, eventOf, hashedText } from "./chain.js"
import type { AuditDraft, AuditFilter, AuditPage, ChainHead } from "./model.js"
import { AuditLog, type ListedEvent } from "./store.js"

/** An action to be recorded. */
export interface Deed {
  readonly action: string
  readonly subjectId: string
  readonly details?: Readonly<Record<string, unknown>>
}

/**
 * Context of recorded events: the agent run they belong to, details added to every event, and a callback in the same
 * transaction. Default: none of them.
 */
export class AuditContext extends Context.Reference<AuditContext>()("kanon/AuditContext", {
  defaultValue: (): {
    readonly runId: string | null
    readonly details: Readonly<Record<string, unknown>>
    readonly onRecord: (events: ReadonlyArray<AuditDraft>) => Effect.Effect<void>
  } => ({ runId: null, details: {}, onRecord: () => Effect.void })
}) {}

/** Records actions of the caller in the running unit of work. */
export const record = (deeds: ReadonlyArray<Deed>): Effect.Effect<void, never, AuditLog | Ids | Caller> =>
  Effect.gen(function* () {
    if (deeds.length === 0) return
    const [log, ids, caller, at] = [yield* AuditLog, yield* Ids, yield* Caller, yield* now]
    const context = yield* AuditContext
    const events = deeds.map(({ action, details = {}, subjectId }) => ({
      id: ids.make("audit"),
      action,
      actor: caller.actor,
      activity: caller.activity,
      subjectId,
      at,
      details: { ...details, ...context.details },
      requestId: caller.requestId ?? null
    }))
    yield* log.append(caller.workspace, events)
    yield* context.onRecord(events)
  })

/**
 * Returns the end of the workspace's chain. Keeping its hash elsewhere makes it possible to prove later that no event
 * was rewritten.
 */
export const auditHead: Effect.Effect<ChainHead, never, AuditLog | Ids | Caller> = Effect.gen(function* () {
  const [log, { sha256 }, { workspace }] = [yield* AuditLog, yield* Ids, yield* Caller]
  const { head } = yield* log.page(workspace, Number.MAX_SAFE_INTEGER, 1)
  return head ?? chainStart(workspace, sha256)
})

/** Lists events newest first in pages. A cursor is the id of the last event already read. */
export const listAudit = traced("audit.list")(function* (
  filter: AuditFilter,
  { cursor, limit }: { readonly cursor: AuditId | undefined; readonly limit: number }
) {
  const [log, { sha256 }, { workspace }] = [yield* AuditLog, yield* Ids, yield* Caller]
  const after = yield* placeOf(cursor)
  const rows = yield* log.list(workspace, { ...filter, after, order: "newest_first", limit: limit + 1 })
  const shown = rows.slice(0, limit)
  const total = yield* log.count(workspace, filter)
  const head = yield* auditHead
  // The chain is that of all events, whichever of them the caller sees.
  const chained =
    (yield* currentView) === null
      ? shown
      : yield* seeingAll(log.list(workspace, { ...filter, after, order: "newest_first", limit }))
  const start = chainStart(workspace, sha256)
  const isLinked = ({ hash, hashBefore, position, prevHash, ...event }: ListedEvent) =>
    sha256(hashedText({ ...event, prevHash })) === hash &&
    prevHash === (position === start.position + 1 ? start.hash : hashBefore)
  const page: AuditPage = {
    items: shown.map(({ hashBefore: _hash, ...row }) => eventOf(row)),
    total,
    nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
    chain: { head: head.hash, verified: chained.every(isLinked) && (yield* seeingAll(isEnd(head))) }
  }
  return page
})

/** Returns whether the newest event is the one that the head names. */
const isEnd = (head: ChainHead) =>
  Effect.gen(function* () {
    const [log, { workspace }] = [yield* AuditLog, yield* Caller]
    const { events, head: end } = yield* log.page(workspace, Math.max(head.position - 1, 0), 2)
    const last = events.at(-1)
    if (last === undefined || end === null) return last === undefined && end === null
    // Another writer may have appended since.
    if (end.position > last.position) return events.length === 2
    return end.position === last.position && end.hash === last.hash
  })

const eventsPerPage = 500

/** Streams every event that matches a filter, oldest first, reading on demand; with a cursor only events after it. */
export const streamAudit = traced("audit.stream")(function* (
  filter: AuditFilter,
  { cursor, limit }: { readonly cursor?: AuditId | undefined; readonly limit?: number | undefined }
) {
  const [log, { workspace }] = [yield* AuditLog, yield* Caller]
  const begin = (yield* placeOf(cursor)) ?? 0
  const events = Stream.paginateChunkEffect(begin, (after) =>
    Effect.map(
      log.list(workspace, { ...filter, after, order: "oldest_first", limit: eventsPerPage }),
      (rows) => {
        const last = rows.at(-1)
        const next = last === undefined || rows.length < eventsPerPage ? undefined : last.position
        const items = rows.map(({ hashBefore: _hash, ...row }) => eventOf(row))
        return [Chunk.unsafeFromArray(items), Option.fromNullable(next)] as const
      }
    )
  )
  return limit === undefined ? events : Stream.take(events, Math.max(limit, 1))
})

const placeOf = (cursor: AuditId | undefined) =>
  Effect.gen(function* () {
    if (cursor === undefined) return undefined
    const [log, { workspace }] = [yield* AuditLog, yield* Caller]
    const place = yield* log.positionOf(workspace, cursor)
    if (Option.isSome(place)) return place.value
    return yield* invalid(["cursor"], "unknown", "It is no event of this workspace.")
  })
