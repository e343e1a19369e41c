import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** A clock that stands still until it is moved: sleepers wake in the order of their moments. */
export interface VirtualClock {
  readonly clock: Clock.Clock
  readonly nowMs: () => number
  /** Moves to the next sleeper and wakes it; false where nobody sleeps. */
  readonly wakeNext: () => boolean
  /** Moves on by so long and wakes all who are due then. */
  readonly advance: (ms: number) => void
  /** Moves the time alone, forwards or backwards, as a host's clock may jump. Sleepers keep how long they still sleep. */
  readonly jump: (ms: number) => void
}

interface Sleeper {
  readonly at: number
  readonly order: number
  readonly wake: () => void
}

/** Makes a virtual clock that starts at this moment, in milliseconds since the Unix epoch. */
export const makeVirtualClock = (startMs: number): VirtualClock => {
  // Sleeps are measured by a clock that never jumps.
  let steady = 0
  let offset = startMs
  let order = 0
  const sleepers = new Set<Sleeper>()
  const nowMs = () => steady + offset
  const clock: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: nowMs,
    unsafeCurrentTimeNanos: () => BigInt(steady) * 1_000_000n,
    currentTimeMillis: Effect.sync(nowMs),
    currentTimeNanos: Effect.sync(() => BigInt(steady) * 1_000_000n),
    sleep: (duration) =>
      Effect.async<void>((resume) => {
        const sleeper: Sleeper = {
          at: steady + Math.min(Duration.toMillis(duration), 1e12),
          order: order++,
          wake: () => resume(Effect.void)
        }
        sleepers.add(sleeper)
        return Effect.sync(() => void sleepers.delete(sleeper))
      })
  }
  return {
    clock,
    nowMs,
    wakeNext: () => {
      let next: Sleeper | undefined
      for (const one of sleepers)
        if (next === undefined || one.at < next.at || (one.at === next.at && one.order < next.order))
          next = one
      if (next === undefined) return false
      sleepers.delete(next)
      steady = Math.max(steady, next.at)
      next.wake()
      return true
    },
    advance: (ms) => {
      steady += ms
      const due = [...sleepers].filter(({ at }) => at <= steady)
      for (const sleeper of due.sort((a, b) => a.at - b.at || a.order - b.order)) {
        sleepers.delete(sleeper)
        sleeper.wake()
      }
    },
    jump: (ms) => {
      offset += ms
    }
  }
}
