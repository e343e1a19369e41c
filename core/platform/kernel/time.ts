import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { z } from "zod"

/** ISO 8601, UTC, milliseconds, `Z`. */
export const Timestamp = z.iso.datetime({ precision: 3 })

const momentMessage = "Expected a timestamp with a time zone (2026-01-31T09:30:00Z)"

/** A timestamp given by a caller, in any zone and precision; normalized to UTC milliseconds. */
export const Moment = z.iso
  .datetime({ offset: true, error: `${momentMessage}.` })
  .transform((text) => timestampOf(millisOf(text)))
  // A time before year 0 or after 9999 is accepted in UTC only.
  .pipe(z.iso.datetime({ precision: 3, error: `${momentMessage}.` }))
  .describe("A timestamp with its zone, such as 2026-01-31T09:30:00Z.")

/** A `Moment`, or a date, which means the start of that day (UTC). */
export const MomentOrDay = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: `${momentMessage} or a day (2026-01-31).`
  })
  .transform((text) => timestampOf(millisOf(text)))
  .describe("A timestamp with its zone, such as 2026-01-31T09:30:00Z, or a day (UTC), such as 2026-01-31.")

/** Formats milliseconds since 1970 as a timestamp. */
export const timestampOf = (millis: number): string => {
  if (last.millis === millis) return last.text
  // The only file in core that uses Date: to convert between text and numbers, never to read the clock.
  const text = new Date(millis).toISOString()
  last = { millis, text }
  return text
}

/** Caches the last result: rows written at the same moment share it, and formatting is expensive. */
let last = { millis: Number.NaN, text: "" }

/** Parses a timestamp to milliseconds since 1970. */
export const millisOf = (timestamp: string): number => new Date(timestamp).getTime()

/** Current time of the clock service, as a timestamp. */
export const now: Effect.Effect<string> = Effect.map(Clock.currentTimeMillis, timestampOf)

/** A moment of the past as a caller names it: a timestamp with its zone, or a day, which means its end (UTC). */
export const AsOf = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: `${momentMessage} or a day (2026-01-31).`
  })
  .describe(
    "Reads the workspace as it stood then: a day (UTC, its end), such as 2026-01-31, or a timestamp with its zone."
  )
