import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Whether statements use a connection reserved for urgent work, if the database has one. */
export class ReservedConnection extends Context.Tag("kanon/AheadOfRequests")<ReservedConnection, true>() {}

/**
 * Runs short, urgent work on the reserved connection: a late heartbeat would run a job twice, and a health check
 * should not wait for requests.
 */
export const onReservedConnection = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.provideService(work, ReservedConnection, true)
