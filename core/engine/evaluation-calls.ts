import type * as Effect from "effect/Effect"
import {
  type CalibrateOptions,
  type CalibrationOutcome,
  calibrate,
  type JudgedQuestion
} from "../evaluation/index.js"
import type { Caller, Fault } from "../kernel/index.js"
import type { Ports } from "../ports.js"
import type { Wired } from "../wiring.js"

/** The calls of the embedded engine that measure it. */
export interface EvaluationCalls {
  readonly evaluation: {
    /**
     * Asks questions whose answers are known, fits from them what a confidence is worth in this workspace, and puts
     * that in use. Rejected with `invalid_body`, nothing stored, when there are too few.
     */
    readonly calibrate: (
      questions: ReadonlyArray<JudgedQuestion>,
      options?: CalibrateOptions
    ) => Promise<CalibrationOutcome>
  }
}

export const evaluationCalls = (
  run: <A>(effect: Effect.Effect<A, Fault, Ports | Wired | Caller>) => Promise<A>
): EvaluationCalls => ({
  evaluation: { calibrate: (questions, options) => run(calibrate(questions, options)) }
})
