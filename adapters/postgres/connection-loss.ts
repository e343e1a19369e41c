import { SqlError } from "@effect/sql/SqlError"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Option from "effect/Option"

/**
 * What a statement fails with while the server restarts, shuts down, fails over or has no connection to give. Codes of
 * Postgres (class 08, 57P01 to 57P03, 53300, 25006 of a server that became a standby), of the system, and the words of
 * the driver, which gives no codes of its own.
 */
const awayCodes =
  /^(08...|57P0[123]|53300|25006|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
const awayWords =
  /Connection terminated|connection error and is not queryable|Client was closed|timeout exceeded when trying to connect|server closed the connection|query_wait_timeout|server conn crashed|server login has been failing|pgbouncer cannot connect/i
/** What a server says that did nothing: it may not be written, takes nobody at the moment, has no place left. */
const refusedCodes = /^(25006|57P03|53300)$/
/** A standby, or a server of which an operator has said that it may not be written. */
const readOnlyCode = "25006"
/** The transaction was undone as a whole, and another try may well succeed: serialization, deadlock. */
const clashCodes = /^(40001|40P01)$/

/** Whether a statement found no database: the server is gone, or takes nobody at the moment. */
export const isAway = (error: unknown): boolean => {
  const cause = error instanceof SqlError ? error.cause : error
  if (!(cause instanceof Error)) return false
  const inner = cause instanceof AggregateError ? cause.errors : []
  return awayCodes.test(codeOf(cause)) || awayWords.test(cause.message) || inner.some(isAway)
}

/** Whether nothing was sent: there was no connection to send it on. */
export const isUnsent = (error: unknown): boolean =>
  error instanceof SqlError &&
  (error.message ?? "").startsWith("Failed to acquire connection") &&
  isAway(error)

/** Whether what ended so did because the database went away, whatever came of that on the way. */
export const endedAway = (cause: Cause.Cause<unknown>): boolean => someError(cause, isAway)

/** Whether a statement met another transaction and was undone. */
export const isClash = (error: unknown): boolean => clashCodes.test(codeWithin(error))

/** Whether work met another transaction and was undone. */
export const endedInClash = (cause: Cause.Cause<unknown>): boolean => someError(cause, isClash)

/** Whether the server has done nothing of what it was asked. */
export const isRefused = (error: unknown): boolean => refusedCodes.test(codeWithin(error))

/** Whether a change was refused since the server may only be read. */
export const isReadOnly = (error: unknown): boolean => codeWithin(error) === readOnlyCode

/** Whether work was refused for that. */
export const endedReadOnly = (cause: Cause.Cause<unknown>): boolean => someError(cause, isReadOnly)

const someError = (cause: Cause.Cause<unknown>, is: (error: unknown) => boolean): boolean =>
  Option.isSome(
    Chunk.findFirst(Chunk.appendAll(Cause.failures(cause), Cause.defects(cause)), (error) => is(error))
  )

/** The code of what the driver failed with; empty where there is none. */
const codeWithin = (error: unknown): string => {
  const cause = error instanceof SqlError ? error.cause : error
  return cause instanceof Error ? codeOf(cause) : ""
}

const codeOf = (error: Error): string => ("code" in error && typeof error.code === "string" ? error.code : "")
