import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../kernel/index.js"
import { type Settings, WorkspaceStore } from "../workspace/index.js"

/** A workspace as it is when a question is taken in. */
export interface WorkspaceState {
  readonly settings: Settings
  /** Of its content, settings among it; see `PostingStore`. Null where it is not known. */
  readonly stamp: string | null
}

/** Tells how a workspace is when a question is taken in; by default from its row, whatever is known of it. */
export class WorkspaceSnapshot extends Context.Reference<WorkspaceSnapshot>()("kanon/TakingIn", {
  defaultValue: () => ({
    of: (workspace: WorkspaceScope): Effect.Effect<WorkspaceState, never, WorkspaceStore> =>
      Effect.map(
        Effect.flatMap(WorkspaceStore, (store) => store.get(workspace)),
        ({ settings }) => ({ settings, stamp: null })
      )
  })
}) {}
