import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

const real = Clock.make()

/** Runs something as if it were this moment throughout; what sleeps does so in real time, unless told otherwise. */
export const atMoment = (millis: number, sleep: Clock.Clock["sleep"] = (duration) => real.sleep(duration)) =>
  Effect.withClock({
    [Clock.ClockTypeId]: real[Clock.ClockTypeId],
    currentTimeMillis: Effect.succeed(millis),
    unsafeCurrentTimeMillis: () => millis,
    currentTimeNanos: real.currentTimeNanos,
    unsafeCurrentTimeNanos: () => real.unsafeCurrentTimeNanos(),
    sleep
  })
