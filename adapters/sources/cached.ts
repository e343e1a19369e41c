import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** Runs an effect once and keeps its result; a failure is not kept. */
export const cachedSuccess = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<Effect.Effect<A, E>> =>
  Effect.map(Effect.cachedInvalidateWithTTL(effect, Duration.infinity), ([value, invalidate]) =>
    Effect.onError(value, () => invalidate)
  )
