import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { z } from "zod"
import { StageListener } from "../../core/answers/answering/index.js"
import { operations } from "../../core/operations.js"
import {
  isFault,
  operation,
  ReplyNote,
  type ReplyNotes,
  runOperation
} from "../../core/platform/kernel/index.js"
import { liveEvents, StreamGuard } from "../catalog/live-events.js"
import { row } from "../catalog/row.js"
import { internal, wireError } from "../http/errors.js"
import { eventStreamHeaders, eventStreamType } from "../http/server-sent-events.js"
import type { AskEvent } from "./model.js"

/** An event as it is sent; the answer is that of the operation, before it is text. */
type ToldEvent =
  | Exclude<AskEvent, { readonly type: "answer" }>
  | (Omit<Extract<AskEvent, { readonly type: "answer" }>, "answer"> & {
      readonly answer: z.input<typeof operations.query.output>
    })

/** The stages of a question as they begin, then the checked answer. Leaving the stream stops the question. */
const answerEvents = Effect.fnUntraced(function* (input: z.input<typeof operations.query.input>) {
  const guard = yield* StreamGuard
  const context = yield* Effect.context<Effect.Effect.Context<ReturnType<typeof operations.query.run>>>()
  const events = Stream.unwrapScoped(
    Effect.gen(function* () {
      const queue = yield* Queue.unbounded<ToldEvent>()
      let notes: ReplyNotes | undefined
      const listening = Context.empty().pipe(
        Context.add(StageListener, (stage) => Effect.asVoid(queue.offer({ type: "stage", stage }))),
        Context.add(ReplyNote, (said) => {
          notes = said
        })
      )
      const questionRun = runOperation(operations.query, input).pipe(
        Effect.provide(Context.merge(context, listening)),
        Effect.exit,
        Effect.flatMap((exit) =>
          Exit.isSuccess(exit)
            ? queue.offer({ type: "answer", answerId: notes?.answerId ?? null, answer: exit.value })
            : Effect.flatMap(failureOf(exit.cause), (event) => queue.offer(event))
        )
      )
      yield* Effect.forkScoped(questionRun)
      return Stream.fromQueue(queue).pipe(Stream.takeUntil(({ type }) => type !== "stage"))
    })
  )
  return liveEvents(events, guard)
})

const failureOf = (cause: Cause.Cause<unknown>): Effect.Effect<ToldEvent> => {
  const error = Cause.squash(cause)
  const { body, status } = isFault(error) ? wireError(error) : internal
  const event: ToldEvent = { type: "error", status, ...body }
  return isFault(error)
    ? Effect.succeed(event)
    : Effect.as(Effect.logError("A question failed.", cause), event)
}

const ask = operation({ ...operations.query, name: "ask" })

/** Asks as the operation `query` does, and tells how far it is. */
export const askRow = row(ask, "POST", "/console/ask", {
  streamed: {
    mediaType: eventStreamType,
    headers: eventStreamHeaders,
    isLive: true,
    meaning: "Stages as they begin, then the checked answer.",
    open: answerEvents
  }
})
