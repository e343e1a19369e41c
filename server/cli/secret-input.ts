import { text as readAll } from "node:stream/consumers"
import * as Effect from "effect/Effect"

/** Reads a secret from the standard input, without the line break at its end. */
export const readSecret = Effect.map(
  Effect.promise(() => readAll(process.stdin)),
  (text) => text.replace(/\r?\n$/u, "")
)
