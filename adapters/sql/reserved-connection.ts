import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Whether statements go by a connection that requests do not take, where the database has one. */
export class ReservedConnection extends Context.Tag("kanon/AheadOfRequests")<ReservedConnection, true>() {}

/**
 * Has the statements of a short work not queue behind those of requests: a heartbeat that comes too late has its job run
 * twice, and whoever asks whether the database answers would be told how long the queue is.
 */
export const onReservedConnection = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.provideService(work, ReservedConnection, true)
