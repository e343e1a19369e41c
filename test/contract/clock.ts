import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { describe, expect } from "vitest"
import { now, Timestamp } from "../../core/platform/kernel/index.js"
import { contractTestsFor } from "./contract-tests.js"

/**
 * The laws of the clock: Effect's `Clock`, which a product replaces with `Layer.setClock`. All times of the engine,
 * and all waiting, go through it.
 */
export const clockContract = <E>(name: string, layer: () => Layer.Layer<never, E>): void => {
  describe(`Clock: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("tells the time in UTC with milliseconds, never earlier than before", function* () {
      const times = yield* Effect.replicateEffect(now, 20)
      for (const time of times) expect(Timestamp.safeParse(time).success).toBe(true)
      expect([...times].sort()).toEqual(times)
    })

    law("sleeps as long as it was asked to by its own time", function* () {
      const [before, beforeNanos] = [yield* Clock.currentTimeMillis, yield* Clock.currentTimeNanos]
      yield* Clock.sleep(20)
      // Timers may fire up to a millisecond early by the wall clock.
      expect((yield* Clock.currentTimeMillis) - before).toBeGreaterThanOrEqual(19)
      expect(Number((yield* Clock.currentTimeNanos) - beforeNanos)).toBeGreaterThanOrEqual(19_000_000)
    })
  })
}
