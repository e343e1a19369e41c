import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../kernel/index.js"
import type { Job } from "./model.js"

/** Queries of the queue that only inspection and rebuild need. */
export class JobInspection extends Context.Tag("kanon/JobInspection")<
  JobInspection,
  {
    /**
     * Takes the rebuild lock of the workspace until that moment; returns false while another process holds it. With
     * `held`, the moment until which the caller holds it, the lock is renewed, or released when `until` has passed.
     */
    readonly takeRebuildLock: (
      workspace: WorkspaceScope,
      lock: { readonly until: string; readonly held: string | null; readonly longestMs: number }
    ) => Effect.Effect<boolean>
    /** Counts running jobs whose lease has ended or whose owner is known to be gone; at most `limit`. */
    readonly lost: (workspace: WorkspaceScope, limit: number) => Effect.Effect<ReadonlyArray<Job>>
  }
>() {}
