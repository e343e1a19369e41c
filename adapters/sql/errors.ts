import { SqlError } from "@effect/sql/SqlError"

/** Codes of a broken unique index: SQLite's two, and Postgres's SQLSTATE. */
const uniqueCodes = new Set(["SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY", "23505"])

/** Whether a statement failed because a unique index holds an equal row. */
export const isUniqueViolation = (error: unknown): boolean => {
  const cause: unknown = error instanceof SqlError ? error.cause : error
  if (!(cause instanceof Error) || !("code" in cause)) return false
  // Where a guard forestalls the index, its words tell.
  return uniqueCodes.has(String(cause.code)) || cause.message.endsWith(guardedTwice)
}

/** How a guard ends what it says of a row whose key is there already. */
export const guardedTwice = "a row of this key is there already"
