import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { z } from "zod"
import { operations } from "../../core/operations.js"
import { isFault, operation, runOperation } from "../../core/platform/kernel/index.js"
import { liveEvents, StreamGuard } from "../catalog/live-events.js"
import { row } from "../catalog/row.js"
import { answerEvents } from "../http/answer-events.js"
import { internal, type WireError, wireError } from "../http/errors.js"
import { eventStreamHeaders, eventStreamType } from "../http/server-sent-events.js"

/** The question as it goes, then the checked answer. Leaving the stream stops the question. */
const askEvents = (input: z.input<typeof operations.query.input>) =>
  Effect.gen(function* () {
    const guard = yield* StreamGuard
    return liveEvents(yield* answerEvents(runOperation(operations.query, input), describe), guard)
  })

const describe = (cause: Cause.Cause<unknown>): Effect.Effect<WireError> => {
  const error = Cause.squash(cause)
  return isFault(error)
    ? Effect.succeed(wireError(error))
    : Effect.as(Effect.logError("A question failed.", cause), internal)
}

const ask = operation({ ...operations.query, name: "ask" })

/** Asks as the operation `query` does, and tells how far it is. */
export const askRow = row(ask, "POST", "/console/ask", {
  streamed: {
    mediaType: eventStreamType,
    headers: eventStreamHeaders,
    isLive: true,
    meaning: "Stages as they begin, claims as they are checked, then the answer.",
    open: askEvents
  }
})
