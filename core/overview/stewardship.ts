import { Caller, invalid, now, type PageRequest, traced } from "../kernel/index.js"
import type { StewardshipPage, StewardshipView } from "./governance-model.js"
import { OverviewStore } from "./store.js"

/**
 * Lists what needs a steward: entities overdue for review (longest first), never reviewed and without owner and
 * stewards (most central first), with open change requests (oldest first), or documents whose verification is due.
 * With an owner, only entities of that owner and documents that the owner verified.
 */
export const stewardship = traced("overview.stewardship")(function* (
  view: StewardshipView,
  ownerId: string | undefined,
  page: PageRequest
) {
  if (view === "ownerless" && ownerId !== undefined)
    return yield* invalid(["ownerId"], "unexpected", "What has no owner has not this one either.")
  const [store, { workspace }, at] = [yield* OverviewStore, yield* Caller, yield* now]
  const wanted = { at, ownerId }
  const counts = yield* store.tendCounts(workspace, wanted)
  const items =
    view === "documents_due"
      ? yield* store.documentsDue(workspace, wanted, page)
      : yield* store.entitiesToTend(workspace, view, wanted, page)
  return {
    view,
    counts,
    items: [...items],
    total: counts[countOf[view]],
    ...page
  } satisfies StewardshipPage
})

const countOf = {
  overdue: "overdue",
  never_reviewed: "neverReviewed",
  ownerless: "ownerless",
  contested: "contested",
  documents_due: "documentsDue"
} as const
