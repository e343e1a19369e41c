import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Row } from "../catalog/row.js"
import { internal } from "./errors.js"
import type { Outcome } from "./serve-row.js"

/** Validates a response against its documented schema. */
export const checked = (outcome: Outcome, row: Row): Effect.Effect<Outcome> => {
  if (Either.isLeft(outcome.result) || outcome.stream !== undefined) return Effect.succeed(outcome)
  const { error } = row.operation.output.safeParse(outcome.result.right)
  if (error === undefined) return Effect.succeed(outcome)
  return Effect.as(
    Effect.logError(`The response of ${row.operation.name} breaks its schema: ${error.message}`),
    { ...outcome, result: Either.left(internal) }
  )
}
