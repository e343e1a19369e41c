import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** How long calls may follow upon each other before timers and sockets of the process have their turn. */
const turnNanos = 8_000_000n

/**
 * An effect to run before each call. Storage that answers at once lets a loop of short calls go on without ever
 * coming back to the event loop; when that has lasted a turn, the next call waits for it.
 */
export const yieldToEventLoop = (): Effect.Effect<void> => {
  let startedAt: bigint | null = null
  const begin = Effect.flatMap(Clock.currentTimeNanos, (at) => {
    startedAt = at
    // Comes when everything else that was due has been looked at.
    return Effect.forkDaemon(
      Effect.map(Effect.sleep(0), () => {
        startedAt = null
      })
    )
  })
  // A call that has waited begins a turn as the first does: else every second long one would go without.
  const wait = Effect.zipRight(Effect.sleep(0), begin)
  return Effect.flatMap(Clock.currentTimeNanos, (at) => {
    if (startedAt === null) return Effect.asVoid(begin)
    return at - startedAt < turnNanos ? Effect.void : Effect.asVoid(wait)
  })
}

/** Does something with each of many, one after the other; everything else of the process has its turn in between. */
export const forEachYielding = <A, B, E, R>(
  items: Iterable<A>,
  work: (item: A) => Effect.Effect<B, E, R>
): Effect.Effect<Array<B>, E, R> =>
  Effect.suspend(() => {
    const turn = yieldToEventLoop()
    return Effect.forEach(items, (item) => Effect.zipRight(turn, work(item)))
  })
