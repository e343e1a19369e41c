import * as Cron from "effect/Cron"
import * as Either from "effect/Either"
import { type InvalidInput, invalid, millisOf, timestampOf } from "../kernel/index.js"

/** The first moment after another at which a cron expression with five fields (UTC) is due. */
export const nextDue = (expression: string, after: string): Either.Either<string, InvalidInput> => {
  const fields = expression.trim().split(/\s+/)
  if (fields.length !== 5)
    return Either.left(badSchedule("A schedule has five fields: minute, hour, day, month, day of the week."))
  return Either.flatMap(
    Either.mapLeft(Cron.parse(fields.join(" "), "UTC"), () =>
      badSchedule("The schedule is no cron expression.")
    ),
    (cron) =>
      Either.try({
        try: () => timestampOf(Cron.next(cron, millisOf(after)).getTime()),
        catch: () => badSchedule("The schedule is never due.")
      })
  )
}

const badSchedule = (message: string) => invalid(["schedule"], "invalid_schedule", message)
