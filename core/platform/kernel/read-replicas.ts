import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * State of a copy of the database that serves reads. `behind` and `away` copies are not read: one has not replayed in
 * time what was committed, the other cannot be reached or is no copy of this database.
 */
export interface ReplicaState {
  /** Host, port and name of the database, without user and password. */
  readonly name: string
  readonly state: "ready" | "behind" | "away"
  /** Bytes of the log that it had not replayed when it was last asked; null when it did not answer. */
  readonly lagBytes: number | null
  /** Why it is not read; null while it is. */
  readonly reason: string | null
}

/**
 * Copies of the database that may serve the reads of operations which change nothing. Without any, which is the
 * default, everything is read where it is written.
 */
export class ReadReplicas extends Context.Reference<ReadReplicas>()("kanon/ReadReplicas", {
  defaultValue: (): ReadReplicasShape => ({ within: (work) => work, states: () => [] })
}) {}

interface ReadReplicasShape {
  /**
   * Runs one operation. All its reads that may go to a copy go to the same one, which has everything that was
   * committed before the first of them.
   */
  readonly within: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly states: () => ReadonlyArray<ReplicaState>
}

/** Runs an operation that changes nothing at a replica, where there is one. */
export const fromReplica = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(ReadReplicas, ({ within }) => within(work))
