import * as Effect from "effect/Effect"
import { Ids, scopeOf } from "../../core/platform/kernel/index.js"
import { Settings, WorkspaceStore } from "../../core/platform/workspace/index.js"

/** The moment at which everything in a law happens, unless the law is about time. */
export const lawsAt = "2026-01-01T00:00:00.000Z"

/** Makes a workspace with default settings and gives its scope. */
export const makeWorkspace = Effect.gen(function* () {
  const id = (yield* Ids).make("workspace")
  yield* (yield* WorkspaceStore).insert({ id, name: "laws", settings: Settings.parse({}) }, lawsAt)
  return scopeOf(id)
})
