import type * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"

/** How the processes that share a database tell each other that the queue changed. */
export interface JobSignals {
  /**
   * Tells everybody who watches, where the statement that changes the queue does not do so itself; called inside its
   * unit of work, it tells when that is over.
   */
  readonly changed: Effect.Effect<void>
  /** As `JobStore.watch`. */
  readonly watch: Effect.Effect<Effect.Effect<void>, never, Scope>
  /** As `JobStore.watchDue`. */
  readonly watchDue: Effect.Effect<Effect.Effect<void>, never, Scope>
}
