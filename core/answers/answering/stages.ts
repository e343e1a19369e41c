import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { withSpan } from "../../platform/kernel/index.js"

/** The steps of the pipeline, in their order. */
export const stageNames = ["gather", "select", "gate", "generate", "ground", "compare", "judge"] as const
/** The name of a step of the pipeline, from `gather` to `judge`. */
export type StageName = (typeof stageNames)[number]

/** Result count, duration and cost of one stage. */
export interface StageTrace {
  readonly name: StageName
  /** Passages found, passages kept, rules that fired, model calls, claims verified, conflicts found, caveats. */
  readonly count: number
  readonly durationMs: number
  /** Exact decimal US dollars; "0" where no model was called. */
  readonly costUsd: string
}

/** Callback for each stage as it begins, so that callers can show progress; does nothing by default. */
export class StageListener extends Context.Reference<StageListener>()("kanon/StageListener", {
  defaultValue:
    () =>
    (_stage: StageName): Effect.Effect<void> =>
      Effect.void
}) {}

/** Stages that take no longer follow each other in one turn of the event loop. */
const turnMs = 8

/** Runs a stage in a span of its own and notes how long it took and how much it gave. */
export const timeStage = <A, E, R>(
  stages: Array<StageTrace>,
  name: StageTrace["name"],
  effect: Effect.Effect<A, E, R>,
  count: (value: A) => number,
  cost: (value: A) => string = () => "0"
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    yield* (yield* StageListener)(name)
    const startedAt = yield* Clock.currentTimeNanos
    const value = yield* withSpan(`answering.${name}`)(effect)
    // Microseconds: what is finer is noise.
    const durationMs = Number(((yield* Clock.currentTimeNanos) - startedAt) / 1000n) / 1000
    stages.push({ name, count: count(value), durationMs, costUsd: cost(value) })
    // Other requests get their turn between the stages of a long question.
    if (durationMs > turnMs) yield* Effect.sleep(0)
    return value
  })
