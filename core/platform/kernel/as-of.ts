import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type InvalidInput, invalid } from "./fault.js"
import { millisOf, now, timestampOf } from "./time.js"

/** The earlier moment that the running call reads the workspace of; null, the default, for the present. */
export class ReadingMoment extends Context.Reference<ReadingMoment>()("kanon/ReadingMoment", {
  defaultValue: (): string | null => null
}) {}

/** The moment by which due dates are judged: the present, or the earlier one that the call reads. */
export const momentOfReading: Effect.Effect<string> = Effect.flatMap(ReadingMoment, (at) =>
  at === null ? now : Effect.succeed(at)
)

const isDay = (asOf: string): boolean => asOf.length === 10

/** Returns the moment that an `AsOf` means. InvalidInput for one in the future; today means today until now. */
export const pastMoment = (asOf: string): Effect.Effect<string, InvalidInput> =>
  Effect.flatMap(now, (present) => {
    const isFuture = isDay(asOf) ? asOf > present.slice(0, 10) : millisOf(asOf) > millisOf(present)
    if (isFuture) return invalid(["asOf"], "future", "The moment is in the future.")
    return Effect.succeed(isDay(asOf) ? `${asOf}T23:59:59.999Z` : timestampOf(millisOf(asOf)))
  })
