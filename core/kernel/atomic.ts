import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * One unit of work. All that the stores do inside it becomes visible together or not at all: on a fault,
 * a defect and an interruption nothing stays. Nested units join the outer one. Inside, only stores are
 * called: no model, no crawler, no file, no sleep.
 */
export class Atomic extends Context.Tag("kanon/Atomic")<
  Atomic,
  { readonly run: <A, E, R>(work: Effect.Effect<A, E, R>, options?: UnitOptions) => Effect.Effect<A, E, R> }
>() {}

/** How durable a unit of work has to be. */
export interface UnitOptions {
  /**
   * True where nobody is told that it was done: its commit does not wait for the disk. A power cut may undo it,
   * as a whole and with all that came after it up to the cut; the death of the process does not.
   */
  readonly unsynced?: boolean
}

/** Runs the work as one unit. */
export const atomically = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  options?: UnitOptions
): Effect.Effect<A, E, R | Atomic> => Effect.flatMap(Atomic, (atomic) => atomic.run(work, options))
