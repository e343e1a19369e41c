import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import {
  type AnswerPart,
  PartListener,
  StageListener,
  type StageName
} from "../../core/answers/answering/index.js"
import { type Fault, ReplyNote } from "../../core/platform/kernel/index.js"
import { untilRefused } from "../catalog/live-events.js"
import type { WireError } from "./errors.js"
import { eventText, keepAlive, keepAliveMs } from "./server-sent-events.js"

/**
 * Event of a question: a stage that begins, the sources, a claim that was checked, and last the whole answer or the
 * reason why there is none.
 */
type AnswerEvent =
  | { readonly type: "stage"; readonly name: StageName }
  | AnswerPart
  | {
      readonly type: "answer"
      /** Null where the workspace keeps no answers. */
      readonly answerId: string | null
      readonly answer: unknown
    }
  | ({ readonly type: "error"; readonly status: number } & WireError["body"])

/**
 * Asks, and returns a body of server-sent events that tells of it until there is an answer or an error. Fails as the
 * question does that ends before its first event. A reader that leaves, or a caller who is no longer admitted, stops the
 * question.
 *
 * Events go into the body at once: a question has few, and a queue for them costs more time than the built-in model takes.
 */
export const answerBody = <R>(
  question: Effect.Effect<unknown, Fault, R>,
  describe: (cause: Cause.Cause<unknown>) => Effect.Effect<WireError>,
  stillAdmitted: Effect.Effect<boolean, never, R> | null
): Effect.Effect<ReadableStream<Uint8Array>, Fault, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void, Fault>()
      let stop: Effect.Effect<void> = Effect.void
      const { body, close, send } = openBody(() => void Effect.runFork(stop))
      const tell = (event: AnswerEvent) =>
        Effect.zipRight(
          Effect.sync(() => send(eventText(event))),
          Deferred.succeed(begun, undefined)
        )
      let answerId: string | null = null
      const listening = Context.empty().pipe(
        Context.add(StageListener, (name) => Effect.asVoid(tell({ type: "stage", name }))),
        Context.add(PartListener, (part) => Effect.asVoid(tell(part))),
        Context.add(ReplyNote, (notes) => {
          answerId = notes.answerId ?? null
        })
      )
      const asked = yield* restore(Effect.provide(question, listening)).pipe(
        Effect.matchCauseEffect({
          onSuccess: (answer) => tell({ type: "answer", answerId, answer }),
          onFailure: (cause) =>
            Effect.gen(function* () {
              if (!(yield* Deferred.isDone(begun))) return yield* Deferred.failCause(begun, cause)
              // Nobody reads any more.
              if (Cause.isInterruptedOnly(cause)) return false
              const { body: error, status } = yield* describe(cause)
              return yield* tell({ type: "error", status, ...error })
            })
        }),
        Effect.ensuring(Effect.sync(close)),
        Effect.forkDaemon
      )
      // Ends with the question.
      yield* Effect.forkDaemon(
        // A fiber that is forked here would not let itself be interrupted.
        Effect.interruptible(
          Effect.raceFirst(
            Fiber.await(asked),
            Effect.zipRight(watched(send, stillAdmitted), Fiber.interruptFork(asked))
          )
        )
      )
      stop = Fiber.interruptFork(asked)
      yield* Effect.onError(restore(Deferred.await(begun)), () => stop)
      return body
    })
  )

/** Sends a comment now and then; ends when the caller is no longer admitted. */
const watched = <R>(
  send: (text: string) => void,
  stillAdmitted: Effect.Effect<boolean, never, R> | null
): Effect.Effect<void, never, R> => {
  const alive = Effect.forever(
    Effect.delay(
      Effect.sync(() => send(keepAlive)),
      keepAliveMs
    )
  )
  return stillAdmitted === null ? alive : Effect.raceFirst(alive, untilRefused(stillAdmitted))
}

/** A body that is written as things happen, until it is closed or its reader leaves. */
const openBody = (onLeave: () => void) => {
  const encoder = new TextEncoder()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given
    },
    cancel: () => {
      controller = undefined
      onLeave()
    }
  })
  return {
    body,
    send: (text: string) => controller?.enqueue(encoder.encode(text)),
    close: () => {
      controller?.close()
      controller = undefined
    }
  }
}
