import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as Take from "effect/Take"

/** Media type and headers of every event stream: a proxy must not keep its pieces back. */
export const eventStreamType = "text/event-stream; charset=utf-8"
export const eventStreamHeaders = { "x-accel-buffering": "no" }

/** How often a comment says that the connection lives. */
export const keepAliveMs = 15_000
/** The comment. */
export const keepAlive = ": keep-alive\n\n"

/** A value as an event. */
export const eventText = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`

/** Events that wait for a reader at most. */
const waitingMax = 64

/**
 * A stream of values as server-sent events: a `data:` line each, and comments while there are none. Ends with the values,
 * or when `ended` completes. The streams share one queue: merged, each event would cost a fiber of its own.
 */
export const serverSentEvents = <A, R>(
  values: Stream.Stream<A, never, R>,
  ended: Effect.Effect<unknown, never, R> = Effect.never
): Stream.Stream<string, never, R> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const pieces = yield* Queue.bounded<Take.Take<string>>(waitingMax)
      const send = (piece: string) => Queue.offer(pieces, Take.of(piece))
      const end = Queue.offer(pieces, Take.end)
      yield* Effect.forkScoped(
        Effect.onExit(
          Stream.runForEach(values, (value) => send(eventText(value))),
          (exit) => (Exit.isSuccess(exit) ? end : Queue.offer(pieces, Take.failCause(exit.cause)))
        )
      )
      yield* Effect.forkScoped(Effect.forever(Effect.zipRight(send(keepAlive), Effect.sleep(keepAliveMs))))
      yield* Effect.forkScoped(Effect.zipRight(ended, end))
      return Stream.flattenTake(Stream.fromQueue(pieces))
    })
  )

/** Whether a request asks for events rather than for JSON: it names them, with a higher weight. */
export const prefersEvents = (request: Pick<Request, "headers">): boolean => prefers(request, eventStreamType)

/** Whether a request asks for a media type rather than for JSON: it names it, with a higher weight. */
export const prefers = ({ headers }: Pick<Request, "headers">, mediaType: string): boolean => {
  const accepted = headers.get("accept") ?? ""
  const [type = ""] = mediaType.split(";")
  return weightOf(accepted, type) > weightOf(accepted, "application/json")
}

const weightOf = (accepted: string, mediaType: string): number => {
  for (const range of accepted.split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
    if (name !== mediaType) continue
    const weight = Number(parameters.find((one) => one.startsWith("q="))?.slice(2) ?? 1)
    return Number.isFinite(weight) ? weight : 0
  }
  return 0
}
