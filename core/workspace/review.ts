import { Caller, millisOf, timestampOf, traced } from "../kernel/index.js"
import { WorkspaceStore } from "./store.js"

const dayMs = 24 * 60 * 60 * 1000

/** Returns when a review made at that moment expires, by the workspace's review interval. */
export const nextReview = traced("workspace.nextReview")(function* (at: string) {
  const [store, { workspace }] = [yield* WorkspaceStore, yield* Caller]
  const { settings } = yield* store.get(workspace)
  return timestampOf(millisOf(at) + settings.reviewIntervalDays * dayMs)
})
