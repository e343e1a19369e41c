import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as Take from "effect/Take"
import { StageListener, type StageName } from "../../core/answers/answering/index.js"
import { type Fault, ReplyNote } from "../../core/platform/kernel/index.js"
import type { WireError } from "./errors.js"

/** Event of a question: a stage that begins, then the checked answer or the reason why there is none. */
export type AnswerEvent =
  | { readonly type: "stage"; readonly stage: StageName }
  | {
      readonly type: "answer"
      /** Null where the workspace keeps no answers. */
      readonly answerId: string | null
      readonly answer: unknown
    }
  | ({ readonly type: "error"; readonly status: number } & WireError["body"])

/** Asks, and tells of it until there is an answer or an error. Whoever stops reading stops the question. */
export const answerEvents = <R>(
  question: Effect.Effect<unknown, Fault, R>,
  describe: (cause: Cause.Cause<unknown>) => Effect.Effect<WireError>
): Stream.Stream<AnswerEvent, never, R> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const events = yield* Queue.unbounded<Take.Take<AnswerEvent>>()
      const tell = (event: AnswerEvent) => Effect.asVoid(Queue.offer(events, Take.of(event)))
      let answerId: string | null = null
      const questionRun = question.pipe(
        Effect.provideService(StageListener, (stage) => tell({ type: "stage", stage })),
        Effect.provideService(ReplyNote, (notes) => {
          answerId = notes.answerId ?? null
        }),
        Effect.matchCauseEffect({
          onSuccess: (answer) => tell({ type: "answer", answerId, answer }),
          onFailure: (cause) =>
            Effect.flatMap(describe(cause), ({ body, status }) => tell({ type: "error", status, ...body }))
        }),
        Effect.ensuring(Queue.offer(events, Take.end))
      )
      yield* Effect.forkScoped(questionRun)
      return Stream.flattenTake(Stream.fromQueue(events))
    })
  )
