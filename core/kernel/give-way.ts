import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** How long calls may follow upon each other before timers and sockets of the process have their turn. */
const turnMs = 8

/**
 * An effect to run before each call. Storage that answers at once lets a loop of short calls go on without ever
 * coming back to the event loop; when that has lasted a turn, the next call waits for it.
 */
export const giveWay = (): Effect.Effect<void> => {
  let startedAt: number | null = null
  const begin = (at: number) => {
    startedAt = at
    // Comes when everything else that was due has been looked at.
    return Effect.forkDaemon(
      Effect.map(Effect.sleep(0), () => {
        startedAt = null
      })
    )
  }
  return Effect.flatMap(Clock.currentTimeMillis, (at) => {
    if (startedAt === null) return Effect.asVoid(begin(at))
    return at - startedAt < turnMs ? Effect.void : Effect.sleep(0)
  })
}

/** Does something with each of many, one after the other; everything else of the process has its turn in between. */
export const inTurns = <A, B, E, R>(
  items: Iterable<A>,
  work: (item: A) => Effect.Effect<B, E, R>
): Effect.Effect<Array<B>, E, R> =>
  Effect.suspend(() => {
    let startedAt: number | null = null
    const noted = Effect.map(Clock.currentTimeMillis, (at) => {
      startedAt = at
    })
    const turn = Effect.flatMap(Clock.currentTimeMillis, (at) =>
      startedAt === null
        ? noted
        : at - startedAt < turnMs
          ? Effect.void
          : Effect.zipRight(Effect.sleep(0), noted)
    )
    return Effect.forEach(items, (item) => Effect.zipRight(turn, work(item)))
  })
