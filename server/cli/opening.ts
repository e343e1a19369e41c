import * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import { KanonError } from "../../core/kernel/index.js"
import { Failure, failed } from "./failure.js"
import type { Place } from "./workspace.js"

/** Opens data; what is in the way becomes a failure of the command. */
export const opening = <A>(
  place: Pick<Place, "data" | "database">,
  open: () => Promise<A>
): Effect.Effect<A, Failure> =>
  Effect.tryPromise({
    try: open,
    catch: (error) => {
      if (error instanceof KanonError) return fault(error)
      if (ConfigError.isConfigError(error))
        return failed("invalid_configuration", String(error).replace(/^\(|\)$/g, ""))
      return failed(
        "data_unavailable",
        `The data in ${place.database === undefined ? place.data : "the database"} cannot be opened: ${reasonOf(error)}`
      )
    }
  })

export const fault = (error: KanonError): Failure =>
  new Failure({ code: error.code, message: error.message, exitCode: error.code === "invalid_body" ? 2 : 1 })

/** What a database says stands in the cause of what its client says. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error
    ? `${messageOf(error)}: ${error.cause.message}`
    : messageOf(error)

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
