import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Stream } from "effect/Stream"
import type { WorkspaceScope } from "../kernel/index.js"

/** Queries of the text index that only inspection and rebuild need. */
export class PostingInspection extends Context.Tag("kanon/PostingInspection")<
  PostingInspection,
  {
    /** The stored directory of a segment, then its blocks in order; missing ones are left out. */
    readonly segmentParts: (workspace: WorkspaceScope, segment: string) => Stream<Uint8Array>
    /** Number of directories, blocks and sets of removed chunks that belong to no segment. */
    readonly orphanCount: (workspace: WorkspaceScope) => Effect.Effect<number>
    /** Removes them, in the caller's transaction. */
    readonly removeOrphans: (workspace: WorkspaceScope) => Effect.Effect<void>
  }
>() {}
