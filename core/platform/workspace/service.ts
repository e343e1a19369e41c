import * as Effect from "effect/Effect"
import { record } from "../audit/index.js"
import {
  atomically,
  Caller,
  millisOf,
  now,
  timestampOf,
  traced,
  type WorkspaceScope
} from "../kernel/index.js"
import { modelsFor } from "../models/index.js"
import { Settings } from "./model.js"
import { WorkspaceStore } from "./store.js"

/** Returns the models that the settings of a workspace choose. */
export const modelsIn = (workspace: WorkspaceScope) =>
  Effect.flatMap(WorkspaceStore, (store) =>
    Effect.flatMap(store.get(workspace), ({ settings }) => modelsFor(workspace, settings.models))
  )

/**
 * Changes settings of the caller's workspace: merges the given groups into the present ones. Writes nothing when
 * nothing changes. Dies with a ZodError for a value out of bounds, because callers validate first.
 */
export const changeSettings = (
  change: {
    readonly [Group in "retrieval" | "retention" | "models" | "caps"]?: Partial<Settings[Group]>
  }
) =>
  atomically(
    Effect.gen(function* () {
      const [store, { workspace }] = [yield* WorkspaceStore, yield* Caller]
      const before = yield* store.get(workspace)
      const settings = Settings.parse({
        ...before.settings,
        retrieval: { ...before.settings.retrieval, ...change.retrieval },
        retention: { ...before.settings.retention, ...change.retention },
        models: { ...before.settings.models, ...change.models },
        caps: { ...before.settings.caps, ...change.caps }
      })
      if (JSON.stringify(settings) === JSON.stringify(before.settings)) return settings
      yield* store.update({ ...before, settings }, yield* now)
      yield* record([{ action: "workspace.update", subjectId: workspace, details: change }])
      return settings
    })
  )

const dayMs = 24 * 60 * 60 * 1000

/** Returns when a review made at that moment expires, by the workspace's review interval. */
export const nextReview = traced("workspace.nextReview")(function* (at: string) {
  const [store, { workspace }] = [yield* WorkspaceStore, yield* Caller]
  const { settings } = yield* store.get(workspace)
  return timestampOf(millisOf(at) + settings.reviewIntervalDays * dayMs)
})
