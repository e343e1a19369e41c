import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../kernel/index.js"
import type { Job } from "./model.js"

/** What no list of jobs shows: for those who look for damage. */
export class JobInspection extends Context.Tag("kanon/JobInspection")<
  JobInspection,
  {
    /** Running jobs whose lease has ended, or whose owner is known to be gone; at most `limit`. */
    readonly lost: (workspace: WorkspaceScope, limit: number) => Effect.Effect<ReadonlyArray<Job>>
  }
>() {}
