import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { z } from "zod"

/** ISO 8601, UTC, milliseconds, `Z`. */
export const Timestamp = z.iso.datetime({ precision: 3 })

/** A moment in milliseconds since 1970 as a timestamp. */
export const timestampOf = (millis: number): string => {
  if (last.millis === millis) return last.text
  // The one file in core that touches Date: text and numbers, never reading the clock.
  const text = new Date(millis).toISOString()
  last = { millis, text }
  return text
}

/** What is written at one moment bears it many times, and the text of a moment is dear. */
let last = { millis: Number.NaN, text: "" }

/** The milliseconds since 1970 of a timestamp. */
export const millisOf = (timestamp: string): number => new Date(timestamp).getTime()

/** The present moment of the clock service. */
export const now: Effect.Effect<string> = Effect.map(Clock.currentTimeMillis, timestampOf)
