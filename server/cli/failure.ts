import * as ConfigError from "effect/ConfigError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { KanonError } from "../../core/platform/kernel/index.js"

/** Why a command failed. Exit code 1: the work failed; 2: the command line is wrong. */
export class Failure extends Data.TaggedError("Failure")<{
  /** One of the codes in docs/cli.md, for programs. */
  readonly code: string
  /** For people: the cause and the remedy. */
  readonly message: string
  readonly exitCode: 1 | 2
}> {}

/** The command line itself is wrong. */
export const wrongUsage = (message: string): Failure =>
  new Failure({ code: "invalid_usage", message, exitCode: 2 })

/** The work failed for a reason outside the command line. */
export const failed = (code: string, message: string): Failure => new Failure({ code, message, exitCode: 1 })

/** Opens data; errors become failures of the command. */
export const openData = <A>(
  place: { readonly data: string; readonly database?: string | undefined },
  open: () => Promise<A>
): Effect.Effect<A, Failure> =>
  Effect.tryPromise({
    try: open,
    catch: (error) => {
      if (error instanceof KanonError) return failureOf(error)
      if (ConfigError.isConfigError(error))
        return failed("invalid_configuration", String(error).replace(/^\(|\)$/g, ""))
      return failed(
        "data_unavailable",
        `The data in ${place.database === undefined ? place.data : "the database"} cannot be opened: ${reasonOf(error)}`
      )
    }
  })

export const failureOf = (error: InstanceType<typeof KanonError>): Failure =>
  new Failure({ code: error.code, message: error.message, exitCode: error.code === "invalid_body" ? 2 : 1 })

/** The message of the client, and in its cause that of the database. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error
    ? `${messageOf(error)}: ${error.cause.message}`
    : messageOf(error)

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
