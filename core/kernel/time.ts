import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { z } from "zod"

/** ISO 8601, UTC, milliseconds, `Z`. */
export const Timestamp = z.iso.datetime({ precision: 3 })

const wantedMoment = "Expected a timestamp with its zone (2026-01-31T09:30:00Z)"

/** A moment that somebody gives: a timestamp of any zone and precision, kept as ours. */
export const Moment = z.iso
  .datetime({ offset: true, error: `${wantedMoment}.` })
  .transform((text) => timestampOf(millisOf(text)))
  // What lies before the year 0 or after 9999 elsewhere may do so in UTC alone.
  .pipe(z.iso.datetime({ precision: 3, error: `${wantedMoment}.` }))
  .describe("A timestamp with its zone, such as 2026-01-31T09:30:00Z.")

/** The same, or the beginning of a day (UTC). */
export const MomentOrDay = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: `${wantedMoment} or a day (2026-01-31).`
  })
  .transform((text) => timestampOf(millisOf(text)))
  .describe("A timestamp with its zone, such as 2026-01-31T09:30:00Z, or a day (UTC), such as 2026-01-31.")

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
