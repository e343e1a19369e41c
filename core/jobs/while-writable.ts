import * as Effect from "effect/Effect"
import { Storage } from "../kernel/index.js"

const lookMs = 5_000

/**
 * Waits for what is done elsewhere as long as the database can be written. On a full disk no job comes to an end, not
 * even to a bad one, so whoever waited for the queue would wait for ever: it dies as the write that is tried does.
 */
export const whileWritable = <A, E, R>(waiting: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Storage> =>
  Effect.raceFirst(
    waiting,
    Effect.flatMap(Storage, ({ writable }) => Effect.forever(Effect.delay(writable, lookMs)))
  )
