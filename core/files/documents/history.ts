import * as Effect from "effect/Effect"
import { z } from "zod"
import { type AuditEvent, AuditLog } from "../../platform/audit/index.js"
import { DocumentId, groupBy, prefixes, type WorkspaceScope } from "../../platform/kernel/index.js"
import { type Document, Verification } from "./model.js"
import { isVouchedFor } from "./states.js"

/** How a document stood at a moment, without its text. The audit trail tells: it has an event of every change. */
export interface DocumentState
  extends Pick<
    Document,
    "path" | "version" | "verification" | "verifiedBy" | "verifiedAt" | "nextVerifyAt" | "updatedAt"
  > {
  readonly isLive: boolean
}

/** What the events of changes tell; those of other actions have other details. */
const ChangeDetails = z.object({
  path: z.string(),
  version: z.int(),
  verification: z.object({ to: Verification }).optional(),
  nextVerifyAt: z.string().nullable().optional()
})

const changes = new Set(["create", "replace", "relink", "move", "describe", "verify", "restore"])
const ends = new Set(["delete", "purge"])
/** Changes after which the row has another `updatedAt`. */
const touches = new Set(["create", "replace", "move", "relink", "restore"])

/** Returns the state of a document after these events, oldest first; null before the first. Pure. */
const stateAfter = (events: ReadonlyArray<AuditEvent>): DocumentState | null => {
  let state: DocumentState | null = null
  for (const event of events) {
    const verb = event.action.replace(/^document\./u, "")
    if (!changes.has(verb) && !ends.has(verb)) continue
    const details = ChangeDetails.safeParse(event.details)
    if (details.success) state = next(state, event, verb, details.data)
  }
  return state
}

const next = (
  state: DocumentState | null,
  { actor, at }: AuditEvent,
  verb: string,
  { nextVerifyAt, path, verification, version }: z.infer<typeof ChangeDetails>
): DocumentState => {
  const before = state ?? { ...unverified, updatedAt: at }
  const stamps =
    verification === undefined
      ? before
      : isVouchedFor(verification.to)
        ? {
            verification: verification.to,
            verifiedBy: actor,
            verifiedAt: at,
            nextVerifyAt: nextVerifyAt ?? null
          }
        : { ...unverified, verification: verification.to }
  return {
    path,
    version,
    isLive: !ends.has(verb),
    verification: stamps.verification,
    verifiedBy: stamps.verifiedBy,
    verifiedAt: stamps.verifiedAt,
    nextVerifyAt: stamps.nextVerifyAt,
    updatedAt: touches.has(verb) ? at : before.updatedAt
  }
}

const unverified = {
  verification: "unverified",
  verifiedBy: null,
  verifiedAt: null,
  nextVerifyAt: null
} as const

/**
 * Returns the documents that changed after a moment, each as it stood then; null for one that did not exist. The others
 * stand as they did.
 */
export const statesAt = (
  workspace: WorkspaceScope,
  at: string
): Effect.Effect<ReadonlyMap<DocumentId, DocumentState | null>, never, AuditLog> =>
  Effect.gen(function* () {
    const log = yield* AuditLog
    const changed = yield* log.subjectsSince(workspace, `${prefixes.document}_`, at)
    const ids = changed.flatMap((id) => DocumentId.safeParse(id).data ?? [])
    return yield* statesOf(workspace, ids, at)
  })

/** Returns how one document stood at a moment; null when it did not exist. */
export const stateAt = (workspace: WorkspaceScope, id: DocumentId, at: string) =>
  Effect.map(statesOf(workspace, [id], at), (states) => states.get(id) ?? null)

const statesOf = (workspace: WorkspaceScope, ids: ReadonlyArray<DocumentId>, at: string) =>
  Effect.gen(function* () {
    const events = yield* (yield* AuditLog).ofSubjectsUntil(workspace, ids, at)
    const bySubject = groupBy(events, ({ subjectId }) => subjectId)
    return new Map(ids.map((id) => [id, stateAfter(bySubject.get(id) ?? [])]))
  })

/** Whether some document was there at a moment that was changed or removed since. */
export const wasOtherThen = (workspace: WorkspaceScope, at: string) =>
  Effect.map(statesAt(workspace, at), (states) =>
    [...states.values()].some((state) => state?.isLive === true)
  )
