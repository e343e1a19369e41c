import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * An adapter of a database implements it with the transactions of that database, so that all stores commit together.
 * Runs a unit of work. All store changes inside it become visible together or, on a fault, defect or interruption, not
 * at all. Nested units join the outer one. Inside, call only stores: no model, no crawler, no file, no sleep.
 */
export class Atomic extends Context.Tag("kanon/Atomic")<
  Atomic,
  { readonly run: <A, E, R>(work: Effect.Effect<A, E, R>, options?: UnitOptions) => Effect.Effect<A, E, R> }
>() {}

/** Durability of a unit of work. */
export interface UnitOptions {
  /**
   * Set when no caller is told that the work is done: the commit does not wait for the disk. A power cut may undo the
   * unit and everything committed after it; the death of the process does not.
   */
  readonly unsynced?: boolean
}

/** Runs the work as one unit. */
export const atomically = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  options?: UnitOptions
): Effect.Effect<A, E, R | Atomic> => Effect.flatMap(Atomic, (atomic) => atomic.run(work, options))
