import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Stream } from "effect/Stream"
import type { WorkspaceScope } from "../kernel/index.js"

/** What no search is shown of the lexical index: for those who look for damage. */
export class PostingInspection extends Context.Tag("kanon/PostingInspection")<
  PostingInspection,
  {
    /** The directory of a segment, then its blocks in order, as they lie in the store; what is not there is left out. */
    readonly segmentParts: (workspace: WorkspaceScope, segment: string) => Stream<Uint8Array>
    /** How many directories, blocks and sets of removed chunks belong to no segment. */
    readonly strayParts: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** Removes them, in the caller's unit of work. */
    readonly removeStrayParts: (workspace: WorkspaceScope) => Effect.Effect<void>
  }
>() {}
