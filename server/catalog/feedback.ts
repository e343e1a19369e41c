import * as Effect from "effect/Effect"
import { z } from "zod"
import { operations } from "../../core/operations.js"
import { AnswerId, operation, RunId } from "../../core/platform/kernel/index.js"
import { addAnswerFeedback } from "../../core/upkeep/overview/index.js"

const { run: addToRun, ...declaration } = operations.addRunFeedback

/** Adds feedback to a run or, where the id is that of an answer, to that answer. */
export const addFeedback = operation({
  ...declaration,
  summary:
    "Add feedback to a run or an answer: a thumb, a rating, a correction, an edit or a wrong citation.",
  input: declaration.input.extend({
    id: z
      .union([RunId, AnswerId])
      .describe("A run (`run_…`) or an answer (`ans_…`, the header `x-answer-id`).")
  }),
  run: ({ id, ...feedback }) =>
    Effect.gen(function* () {
      const run = RunId.safeParse(id)
      return run.success
        ? yield* addToRun({ id: run.data, ...feedback })
        : yield* addAnswerFeedback({ id: AnswerId.parse(id), ...feedback })
    })
})
