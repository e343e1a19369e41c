import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

const hostsMax = 1000
/** When the next request to each host may start, for all connectors of this process. */
const nextStarts = new Map<string, number>()

/** Waits until a request to the host may start, when so many may start each second. */
export const throttled = (host: string, perSecond: number): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const start = Math.max(now, nextStarts.get(host) ?? 0)
    for (const [other, free] of nextStarts) {
      if (nextStarts.size < hostsMax) break
      if (free <= now) nextStarts.delete(other)
    }
    nextStarts.set(host, start + 1000 / perSecond)
    return start > now ? Effect.sleep(start - now) : Effect.void
  })
