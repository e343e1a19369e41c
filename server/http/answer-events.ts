import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import {
  type AnswerPart,
  PartListener,
  StageListener,
  type StageName
} from "../../core/answers/answering/index.js"
import { type Fault, ReplyNote } from "../../core/platform/kernel/index.js"
import type { WireError } from "./errors.js"

/**
 * Event of a question: a stage that begins, the sources, a claim that was checked, and last the whole answer or the
 * reason why there is none.
 */
export type AnswerEvent =
  | { readonly type: "stage"; readonly name: StageName }
  | AnswerPart
  | {
      readonly type: "answer"
      /** Null where the workspace keeps no answers. */
      readonly answerId: string | null
      readonly answer: unknown
    }
  | ({ readonly type: "error"; readonly status: number } & WireError["body"])

const isLast = ({ type }: AnswerEvent): boolean => type === "answer" || type === "error"

/**
 * Asks, and tells of it until there is an answer or an error. Fails as the question does that ends before its first
 * event. Leaving the stream stops the question.
 */
export const answerEvents = <R>(
  question: Effect.Effect<unknown, Fault, R>,
  describe: (cause: Cause.Cause<unknown>) => Effect.Effect<WireError>
): Effect.Effect<Stream.Stream<AnswerEvent>, Fault, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const told = yield* Queue.unbounded<AnswerEvent | Exit.Exit<unknown, Fault>>()
      const tell = (event: AnswerEvent) => Effect.asVoid(Queue.offer(told, event))
      let answerId: string | null = null
      const listening = Context.empty().pipe(
        Context.add(StageListener, (name) => tell({ type: "stage", name })),
        Context.add(PartListener, tell),
        Context.add(ReplyNote, (notes) => {
          answerId = notes.answerId ?? null
        })
      )
      const asked = yield* restore(Effect.provide(question, listening)).pipe(
        Effect.exit,
        Effect.flatMap((exit) => Queue.offer(told, exit)),
        Effect.forkDaemon
      )
      const stop = Fiber.interrupt(asked)
      const first = yield* Effect.onInterrupt(restore(Queue.take(told)), () => stop)
      if (isExit(first) && Exit.isFailure(first)) return yield* Effect.failCause(first.cause)
      return Stream.concat(Stream.make(first), Stream.fromQueue(told)).pipe(
        Stream.mapEffect((one): Effect.Effect<AnswerEvent> => {
          if (!isExit(one)) return Effect.succeed(one)
          return Exit.isSuccess(one)
            ? Effect.succeed({ type: "answer", answerId, answer: one.value })
            : Effect.map(describe(one.cause), ({ body, status }) => ({ type: "error", status, ...body }))
        }),
        Stream.takeUntil(isLast),
        Stream.ensuring(stop)
      )
    })
  )

const isExit = (told: AnswerEvent | Exit.Exit<unknown, Fault>): told is Exit.Exit<unknown, Fault> =>
  Exit.isExit(told)
