import * as Effect from "effect/Effect"
import type { z } from "zod"
import { DataUnreadable } from "../../core/platform/kernel/index.js"

/** Conversions between values and columns: JSON as text, booleans as 0 and 1, bytes as bytes. */

/** Returns the JSON text of a value. */
export const toJson = (value: unknown): string => JSON.stringify(value)

/** Parses JSON text written by our own repositories; throws `DataUnreadable` if it is invalid. */
export const fromJson = <Value>(text: unknown): Value => {
  try {
    return JSON.parse(String(text)) as Value
  } catch (error) {
    throw unreadable(error instanceof Error ? error.message : String(error))
  }
}

/** Returns the error for a damaged row. */
export const unreadable = (why: string): DataUnreadable =>
  new DataUnreadable({
    message: `A row of the database cannot be read (${why}); 'kanon doctor' reports which.`
  })

/** Validates a value against its shape; throws `DataUnreadable` if it does not match. */
export const ofShape = <Value>(shape: z.ZodType<Value>, what: string, value: unknown): Value => {
  const read = shape.safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw unreadable(`${what}: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`)
}

/** Parses a JSON object; throws `DataUnreadable` otherwise. */
export const objectIn = <Value>(text: string): Value => {
  const value: unknown = fromJson(text)
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw unreadable("what should be an object is none")
  return value as Value
}

/** Returns the parsed row, or null if it cannot be read. */
export const ifReadable = <Row, Said>(read: (row: Row) => Said, row: Row): Said | null => {
  try {
    return read(row)
  } catch (error) {
    if (error instanceof DataUnreadable) return null
    throw error
  }
}

/**
 * Parses the rows of a list. Unreadable rows are skipped and counted in the log, so that they do not break the list.
 */
export const readableOf = <Row, Said>(
  rows: ReadonlyArray<Row>,
  what: string,
  read: (row: Row) => Said
): Effect.Effect<ReadonlyArray<Said>> =>
  Effect.suspend(() => {
    const parsedRows = rows.flatMap((row) => {
      const one = ifReadable(read, row)
      return one === null ? [] : [one]
    })
    const lostCount = rows.length - parsedRows.length
    return lostCount === 0
      ? Effect.succeed(parsedRows)
      : Effect.as(
          Effect.logWarning(
            `${lostCount} of ${rows.length} ${what} cannot be read and ${lostCount === 1 ? "is" : "are"} left out of a list; 'kanon doctor' tells which.`
          ),
          parsedRows
        )
  })

/** Converts a count, sum or 64-bit integer, which Postgres returns as text and SQLite as a number. */
export const toNumber = (value: unknown): number => Number(value ?? 0)

/** Copies bytes of a blob column to a plain Uint8Array. */
export const toBytes = (value: unknown): Uint8Array => {
  if (value instanceof Uint8Array) return new Uint8Array(value)
  throw unreadable("a column of bytes has another type")
}
