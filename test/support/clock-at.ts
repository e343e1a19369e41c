import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

const real = Clock.make()

/** Runs something as if it were this moment throughout; what sleeps does so in real time. */
export const atMoment = (millis: number) =>
  Effect.withClock({
    [Clock.ClockTypeId]: real[Clock.ClockTypeId],
    currentTimeMillis: Effect.succeed(millis),
    unsafeCurrentTimeMillis: () => millis,
    currentTimeNanos: real.currentTimeNanos,
    unsafeCurrentTimeNanos: () => real.unsafeCurrentTimeNanos(),
    sleep: (duration) => real.sleep(duration)
  })
