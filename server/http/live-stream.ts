import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import * as Stream from "effect/Stream"

/** Pieces that wait for a reader at most. */
const waitingMax = 64
/** A reader that takes nothing for so long is dropped. */
const patienceMs = 30_000

/**
 * A body that is sent as things happen. Pieces wait for the reader in a short queue; a reader that does not keep up is
 * cut off, and one that goes away ends the stream at once.
 */
export const liveStream = <R>(
  pieces: Stream.Stream<Uint8Array, never, R>
): Effect.Effect<ReadableStream<Uint8Array>, never, R> =>
  Effect.map(Effect.runtime<R>(), (runtime) => {
    let wake = () => {}
    let fiber: Fiber.RuntimeFiber<void, unknown> | undefined
    const room = (controller: ReadableStreamDefaultController<Uint8Array>) =>
      Effect.async<void>((resume) => {
        if ((controller.desiredSize ?? 0) > 0) return resume(Effect.void)
        wake = () => resume(Effect.void)
      }).pipe(
        Effect.timeoutFail({
          duration: patienceMs,
          onTimeout: () => new Error("The reader does not keep up.")
        })
      )
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          fiber = Runtime.runFork(runtime)(
            Stream.runForEach(pieces, (piece) =>
              Effect.zipRight(
                room(controller),
                Effect.sync(() => controller.enqueue(piece))
              )
            )
          )
          fiber.addObserver((exit) => {
            try {
              if (Exit.isSuccess(exit) || Exit.isInterrupted(exit)) controller.close()
              else controller.error(new Error("The stream was cut off."))
            } catch {
              // The reader has gone away already.
            }
          })
        },
        pull: () => wake(),
        cancel: () => {
          if (fiber !== undefined) Effect.runFork(Fiber.interruptFork(fiber))
        }
      },
      { highWaterMark: waitingMax }
    )
  })
