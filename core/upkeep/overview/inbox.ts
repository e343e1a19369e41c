import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { record } from "../../platform/audit/index.js"
import { IdentityStore } from "../../platform/identity/index.js"
import {
  atomically,
  Caller,
  type EntityId,
  invalid,
  millisOf,
  now,
  timestampOf,
  traced,
  UserId
} from "../../platform/kernel/index.js"
import type { InboxKind, InboxMark } from "./inbox-store.js"
import { OverviewStore } from "./store.js"

/** An item that waits for somebody, as marks see it. */
export interface Waiting {
  readonly kind: InboxKind
  readonly id: string
  readonly at: string
}

/** Longest id of an item that can be marked. */
const idMax = 400
/** Kinds whose items have no date of their own: a mark holds until it is taken back. */
const dateless: ReadonlySet<InboxKind> = new Set(["duplicate", "judgment"])
/** Kinds that end by a decision only, or their proposers would wait for ever. */
const decided: ReadonlySet<InboxKind> = new Set(["change_request", "approval", "proposal"])
/** Changes by others leave the inbox of an owner after so long, and so many are shown. */
const [changeDays, changesMax] = [30, 200]

/** The id of a pair of entities in the inbox, the same in both directions. */
export const pairId = (a: EntityId, b: EntityId): string => [a, b].sort().join(" ")

/** Returns the marks that hold for these items, by kind and id. */
export const inboxMarks = traced("overview.inboxMarks")(function* (items: ReadonlyArray<Waiting>) {
  const [store, { workspace }] = [(yield* OverviewStore).inbox, yield* Caller]
  const ids = [...new Set(items.map(({ id }) => id))].filter(({ length }) => length <= idMax)
  const marks = yield* store.marksOf(workspace, ids)
  const byItem = new Map(marks.map((mark) => [`${mark.kind} ${mark.itemId}`, mark]))
  return {
    assigneeOf: ({ id, kind }: Waiting): string | null => byItem.get(`${kind} ${id}`)?.assignedTo ?? null,
    isSettled: ({ at, id, kind }: Waiting): boolean => {
      const mark = byItem.get(`${kind} ${id}`)
      return (
        mark !== undefined &&
        mark.state !== "open" &&
        (dateless.has(kind) || millisOf(at) <= millisOf(mark.waitedSince))
      )
    }
  }
})

/** What is said about an item; what is left out stays. */
export interface Marking {
  readonly state?: InboxMark["state"] | undefined
  readonly assignedTo?: string | null | undefined
}

/** Marks an item as done, rejected or open again, or assigns it to a member. */
export const markInbox = traced("overview.markInbox")(function* (item: Waiting, marking: Marking) {
  const { assignedTo, state } = marking
  if (state !== undefined && state !== "open" && decided.has(item.kind))
    return yield* invalid(["state"], "undecided", "Approve or reject it; its proposer waits for that.")
  if (item.id.length > idMax) return yield* invalid(["id"], "too_long", "This item cannot be marked.")
  const [store, { actor, workspace }, at] = [(yield* OverviewStore).inbox, yield* Caller, yield* now]
  if (assignedTo !== undefined && assignedTo !== null && !(yield* isMember(assignedTo)))
    return yield* invalid(["assignedTo"], "unknown", "Only members of the workspace have an inbox.")
  return yield* atomically(
    Effect.gen(function* () {
      const before = (yield* store.marksOf(workspace, [item.id])).find(({ kind }) => kind === item.kind)
      const mark: InboxMark = {
        kind: item.kind,
        itemId: item.id,
        state: state ?? before?.state ?? "open",
        assignedTo: assignedTo === undefined ? (before?.assignedTo ?? null) : assignedTo,
        waitedSince: state === undefined ? (before?.waitedSince ?? item.at) : item.at,
        markedBy: actor,
        updatedAt: at
      }
      yield* store.mark(workspace, mark)
      yield* record([
        {
          action: "inbox.mark",
          subjectId: item.id,
          details: { kind: mark.kind, state: mark.state, assignedTo: mark.assignedTo }
        }
      ])
      return mark
    })
  )
})

const isMember = (id: string) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* IdentityStore, yield* Caller]
    const user = UserId.safeParse(id).data
    return user !== undefined && Option.isSome(yield* store.role(workspace, user))
  })

/** Returns the latest changes that others made to the caller's entities. */
export const foreignChanges = traced("overview.foreignChanges")(function* () {
  const [store, { actor, workspace }] = [(yield* OverviewStore).inbox, yield* Caller]
  const since = timestampOf(millisOf(yield* now) - changeDays * 86_400_000)
  return yield* store.foreignChanges(workspace, { person: actor, since, limit: changesMax })
})
