import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** What is to be done when the unit of work has ended, however it ended; each thing once. */
export class AfterCommit extends Context.Tag("kanon/sql/AfterUnit")<
  AfterCommit,
  Set<Effect.Effect<void>>
>() {}

/**
 * Does something that others act upon: inside a unit of work when it is over, so that they find what it stored;
 * at once outside of any. Meant for signals that may be given for nothing.
 */
export const afterCommit = (signal: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.serviceOption(AfterCommit),
    Option.match({
      onNone: () => signal,
      onSome: (signals) => Effect.sync(() => void signals.add(signal))
    })
  )

/** What is to be done when the unit of work is undone, the last first: for what the process remembers of it. */
export class OnRollback extends Context.Tag("kanon/sql/IfUndone")<OnRollback, Set<() => void>>() {}
