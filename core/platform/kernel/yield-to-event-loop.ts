import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** How long calls may run in sequence before the process's timers and sockets get a turn. */
const turnNanos = 8_000_000n

/**
 * Resumes in a later turn of the event loop, after due timers and sockets. `Effect.yieldNow` resumes in the same turn:
 * it gives way to other fibers, never to a socket.
 */
export const nextTurn: Effect.Effect<void> = Effect.sleep(0)

/**
 * Returns an effect to run before each call. Storage that answers synchronously lets a loop of short calls run without
 * returning to the event loop; once that has lasted for `turnNanos`, the next call yields.
 */
export const yieldToEventLoop = (): Effect.Effect<void> => {
  let startedAt: bigint | null = null
  const begin = Effect.flatMap(Clock.currentTimeNanos, (at) => {
    startedAt = at
    // Resumes after all other due events have been processed.
    return Effect.forkDaemon(
      Effect.map(Effect.sleep(0), () => {
        startedAt = null
      })
    )
  })
  // The turn restarts after a wait; otherwise every second long turn would not yield.
  const wait = Effect.zipRight(nextTurn, begin)
  return Effect.flatMap(Clock.currentTimeNanos, (at) => {
    if (startedAt === null) return Effect.asVoid(begin)
    return at - startedAt < turnNanos ? Effect.void : Effect.asVoid(wait)
  })
}

/** Applies an effect to each item in sequence, yielding to the event loop in between. */
export const forEachYielding = <A, B, E, R>(
  items: Iterable<A>,
  work: (item: A) => Effect.Effect<B, E, R>
): Effect.Effect<Array<B>, E, R> =>
  Effect.suspend(() => {
    const turn = yieldToEventLoop()
    return Effect.forEach(items, (item) => Effect.zipRight(turn, work(item)))
  })
