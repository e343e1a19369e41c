import { SqlError } from "@effect/sql/SqlError"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Option from "effect/Option"

/**
 * Matches errors while the server restarts, shuts down, fails over or has no free connection: codes of Postgres
 * (class 08, 57P01 to 57P03, 53300, 25006 of a server that became a standby), of a connection that the server ended
 * by one of its time limits (57P05 idle, 25P03 idle in a transaction, 25P04 a transaction that took too long), of the
 * system, and messages of the driver, which has no codes of its own.
 */
const awayCodes =
  /^(08...|57P0[1235]|53300|25006|25P0[34]|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
const awayWords =
  /Connection terminated|connection error and is not queryable|Client was closed|timeout exceeded when trying to connect|server closed the connection|query_wait_timeout|server conn crashed|server login has been failing|pgbouncer cannot connect/i
/**
 * Matches errors of a server that did nothing: it is read-only, not accepting connections, or full, or had ended the
 * idle connection before the statement came.
 */
const refusedCodes = /^(25006|57P0[35]|53300)$/
/** Code of a standby or read-only server. */
const readOnlyCode = "25006"
/** The transaction was rolled back and a retry may succeed: serialization failure, deadlock. */
const clashCodes = /^(40001|40P01)$/

/** Returns whether a statement failed because the database is unavailable. */
export const isAway = (error: unknown): boolean => {
  const cause = error instanceof SqlError ? error.cause : error
  if (!(cause instanceof Error)) return false
  const inner = cause instanceof AggregateError ? cause.errors : []
  return awayCodes.test(codeOf(cause)) || awayWords.test(cause.message) || inner.some(isAway)
}

/** Returns whether the statement was never sent, for lack of a connection. */
export const isUnsent = (error: unknown): boolean =>
  error instanceof SqlError &&
  (error.message ?? "").startsWith("Failed to acquire connection") &&
  isAway(error)

/** Returns whether the database's unavailability is among the causes of a failure. */
export const endedAway = (cause: Cause.Cause<unknown>): boolean => someError(cause, isAway)

/** Returns whether a statement was rolled back because of a conflicting transaction. */
export const isClash = (error: unknown): boolean => clashCodes.test(codeWithin(error))

/** Returns whether a conflict with another transaction is among the causes of a failure. */
export const endedInClash = (cause: Cause.Cause<unknown>): boolean => someError(cause, isClash)

/** Returns whether the server has executed nothing. */
export const isRefused = (error: unknown): boolean => refusedCodes.test(codeWithin(error))

/** Returns whether a write failed because the server is read-only. */
export const isReadOnly = (error: unknown): boolean => codeWithin(error) === readOnlyCode

/** Returns whether a read-only server is among the causes of a failure. */
export const endedReadOnly = (cause: Cause.Cause<unknown>): boolean => someError(cause, isReadOnly)

/** Returns whether PgBouncer refused a transaction because of its mode, which it does with a code of class 08. */
export const isStatementPooling = (error: SqlError): boolean =>
  error.cause instanceof Error && /statement pooling mode/iu.test(error.cause.message)

const someError = (cause: Cause.Cause<unknown>, is: (error: unknown) => boolean): boolean =>
  Option.isSome(
    Chunk.findFirst(Chunk.appendAll(Cause.failures(cause), Cause.defects(cause)), (error) => is(error))
  )

/** Returns the error code of the driver; empty without one. */
const codeWithin = (error: unknown): string => {
  const cause = error instanceof SqlError ? error.cause : error
  return cause instanceof Error ? codeOf(cause) : ""
}

const codeOf = (error: Error): string => ("code" in error && typeof error.code === "string" ? error.code : "")
