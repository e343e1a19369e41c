import * as Effect from "effect/Effect"
import { Storage } from "../kernel/index.js"

const lookMs = 5_000

/**
 * Waits for work elsewhere as long as the database is writable. On a full disk no job ends, not even as failed, so
 * the wait would never end; it dies with the error of the attempted write instead.
 */
export const whileWritable = <A, E, R>(waiting: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Storage> =>
  Effect.raceFirst(
    waiting,
    Effect.flatMap(Storage, ({ writable }) => Effect.forever(Effect.delay(writable, lookMs)))
  )
