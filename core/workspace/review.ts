import { Caller, millisOf, timestampOf, traced } from "../kernel/index.js"
import { WorkspaceStore } from "./store.js"

const dayMs = 24 * 60 * 60 * 1000

/** Until when a review of that moment holds: as many days as the workspace says. */
export const nextReview = traced("workspace.nextReview")(function* (at: string) {
  const [store, { workspace }] = [yield* WorkspaceStore, yield* Caller]
  const { settings } = yield* store.get(workspace)
  return timestampOf(millisOf(at) + settings.reviewIntervalDays * dayMs)
})
