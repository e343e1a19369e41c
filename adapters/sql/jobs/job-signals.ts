import type * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"

/** Signals changes of the queue between processes that share a database. */
export interface JobSignals {
  /** Signals all watchers, if the changing statement does not; sent after the running unit of work. */
  readonly changed: Effect.Effect<void>
  /** As `JobStore.watch`. */
  readonly watch: Effect.Effect<Effect.Effect<void>, never, Scope>
  /** As `JobStore.watchDue`. */
  readonly watchDue: Effect.Effect<Effect.Effect<void>, never, Scope>
}
