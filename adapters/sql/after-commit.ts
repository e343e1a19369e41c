import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Effects to run once after the unit of work has ended, however it ended. */
export class AfterCommit extends Context.Tag("kanon/sql/AfterUnit")<
  AfterCommit,
  Set<Effect.Effect<void>>
>() {}

/**
 * Runs a signal after the unit of work, so that receivers see its changes; at once outside of one. For signals that
 * may be sent without need.
 */
export const afterCommit = (signal: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.serviceOption(AfterCommit),
    Option.match({
      onNone: () => signal,
      onSome: (signals) => Effect.sync(() => void signals.add(signal))
    })
  )

/** Effects to run in reverse order when the unit of work is rolled back, to reset in-memory state. */
export class OnRollback extends Context.Tag("kanon/sql/IfUndone")<OnRollback, Set<() => void>>() {}
