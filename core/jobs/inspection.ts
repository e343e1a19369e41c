import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../kernel/index.js"
import type { Job } from "./model.js"

/** What no list of jobs shows: for those who look for damage. */
export class JobInspection extends Context.Tag("kanon/JobInspection")<
  JobInspection,
  {
    /**
     * Takes the one turn to repair this workspace until that moment; false while somebody else has it. With `held`, the
     * moment that the caller has it until, it is prolonged, or given back where `until` is over already.
     */
    readonly takeRepair: (
      workspace: WorkspaceScope,
      turn: { readonly until: string; readonly held: string | null; readonly longestMs: number }
    ) => Effect.Effect<boolean>
    /** Running jobs whose lease has ended, or whose owner is known to be gone; at most `limit`. */
    readonly lost: (workspace: WorkspaceScope, limit: number) => Effect.Effect<ReadonlyArray<Job>>
  }
>() {}
