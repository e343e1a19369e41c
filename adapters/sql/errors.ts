import type { SqlError } from "@effect/sql/SqlError"
import * as Data from "effect/Data"

/**
 * A copy of the library's SQL error class. Its module loads Effect's schemas and test generators, some 260 files and
 * 12 MB, which are not needed here.
 */
class FailedStatement extends Data.TaggedError("SqlError")<{
  readonly cause: unknown
  readonly message: string
}> {}

/** Returns the error of a statement that the driver refused. */
export const sqlError = (cause: unknown, message: string): SqlError =>
  new FailedStatement({ cause, message }) as unknown as SqlError

/** Returns whether an error is an SQL error of any client. */
export const isSqlError = (error: unknown): error is SqlError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError"

/** Codes of unique violations: two of SQLite, and Postgres's SQLSTATE. */
const uniqueCodes = new Set(["SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY", "23505"])

/** Returns whether a statement failed with a unique violation. */
export const isUniqueViolation = (error: unknown): boolean => {
  const cause: unknown = isSqlError(error) ? error.cause : error
  return cause instanceof Error && "code" in cause && uniqueCodes.has(String(cause.code))
}
