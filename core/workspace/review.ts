import * as Effect from "effect/Effect"
import { Caller, millisOf, now, timestampOf } from "../kernel/index.js"
import { WorkspaceStore } from "./store.js"

const dayMs = 24 * 60 * 60 * 1000

/** Until when a review of this moment holds: as many days as the workspace says. */
export const nextReview = Effect.gen(function* () {
  const [store, { workspace }, at] = [yield* WorkspaceStore, yield* Caller, yield* now]
  const { settings } = yield* store.get(workspace)
  return timestampOf(millisOf(at) + settings.reviewIntervalDays * dayMs)
})
