import * as Data from "effect/Data"

/** How the command ends when it could not do what was asked: 1 it failed, 2 it was asked wrongly. */
export class Failure extends Data.TaggedError("Failure")<{
  /** One of the codes in docs/cli.md, for programs. */
  readonly code: string
  /** For people: what is wrong and what to do about it. */
  readonly message: string
  readonly exitCode: 1 | 2
}> {}

/** The command line itself is wrong. */
export const wrongUsage = (message: string): Failure =>
  new Failure({ code: "invalid_usage", message, exitCode: 2 })

/** Something outside the command line is in the way. */
export const failed = (code: string, message: string): Failure => new Failure({ code, message, exitCode: 1 })
