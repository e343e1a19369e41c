import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The steps of the pipeline, in their order. */
export const stageNames = ["gather", "select", "gate", "generate", "ground", "compare", "judge"] as const
/** The name of a step of the pipeline, from `gather` to `judge`. */
export type StageName = (typeof stageNames)[number]

/** What one stage did. */
export interface StageTrace {
  readonly name: StageName
  /** Passages found, passages kept, rules that fired, model calls, claims verified, conflicts found, caveats. */
  readonly count: number
  readonly durationMs: number
  /** Exact decimal US dollars; "0" where no model was called. */
  readonly costUsd: string
}

/** Told of each stage as it begins, for callers that show how far a question is; by default nobody listens. */
export class StageListener extends Context.Reference<StageListener>()("kanon/StageListener", {
  defaultValue:
    () =>
    (_stage: StageName): Effect.Effect<void> =>
      Effect.void
}) {}
