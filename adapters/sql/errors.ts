import type { SqlError } from "@effect/sql/SqlError"
import * as Data from "effect/Data"

/**
 * A failed statement, as the library has it but for its module: that loads Effect's schemas and the generators of
 * their tests, some 260 files and 12 MB, which nothing here needs.
 */
class FailedStatement extends Data.TaggedError("SqlError")<{
  readonly cause: unknown
  readonly message: string
}> {}

/** The error of a statement that the driver refused. */
export const sqlError = (cause: unknown, message: string): SqlError =>
  new FailedStatement({ cause, message }) as unknown as SqlError

/** Whether it is the error of a statement, of this client or another. */
export const isSqlError = (error: unknown): error is SqlError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError"

/** Codes of a broken unique index: SQLite's two, and Postgres's SQLSTATE. */
const uniqueCodes = new Set(["SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY", "23505"])

/** Whether a statement failed because a unique index holds an equal row. */
export const isUniqueViolation = (error: unknown): boolean => {
  const cause: unknown = isSqlError(error) ? error.cause : error
  return cause instanceof Error && "code" in cause && uniqueCodes.has(String(cause.code))
}
