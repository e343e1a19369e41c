import * as Effect from "effect/Effect"
import { StampedValue } from "../caching/index.js"
import { serviceLayer } from "../kernel/index.js"
import { PostingStore } from "../lexical/index.js"
import { type Settings, WorkspaceStore } from "../workspace/index.js"
import { WorkspaceSnapshot } from "./workspace-snapshot.js"

/** The stamp of a workspace, and its settings as of that: they are read when it is another. */
export const cachedWorkspaceSnapshot = serviceLayer(
  WorkspaceSnapshot,
  Effect.gen(function* () {
    const [postings, workspaces] = [yield* PostingStore, yield* WorkspaceStore]
    const known = new StampedValue<Settings>()
    return {
      of: (workspace) =>
        Effect.flatMap(postings.stamp(workspace), (stamp) => {
          const held = known.get(workspace, stamp)
          if (held !== undefined) return Effect.succeed({ settings: held, stamp })
          return Effect.map(workspaces.get(workspace), ({ settings }) => {
            known.set(workspace, stamp, settings)
            return { settings, stamp }
          })
        })
    }
  })
)
