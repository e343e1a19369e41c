import * as Effect from "effect/Effect"
import type { z } from "zod"
import { DataUnreadable } from "../../core/kernel/index.js"

/** How values cross the boundary to a database: text for JSON, 0 and 1 for truth, bytes as bytes. */

/** JSON text of a value. */
export const toJson = (value: unknown): string => JSON.stringify(value)

/** A value from JSON text that one of our own repositories wrote; throws `DataUnreadable` where it no longer is. */
export const fromJson = <Value>(text: unknown): Value => {
  try {
    return JSON.parse(String(text)) as Value
  } catch (error) {
    throw unreadable(error instanceof Error ? error.message : String(error))
  }
}

/** What is thrown of a row that somebody damaged. */
export const unreadable = (why: string): DataUnreadable =>
  new DataUnreadable({
    message: `A row of the database holds what cannot be read (${why}); 'kanon doctor' tells which.`
  })

/** A value of the shape that it was written with; throws `DataUnreadable` where it no longer is. */
export const ofShape = <Value>(shape: z.ZodType<Value>, what: string, value: unknown): Value => {
  const read = shape.safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw unreadable(`${what}: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`)
}

/** The same of an object. */
export const objectIn = <Value>(text: string): Value => {
  const value: unknown = fromJson(text)
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw unreadable("what should be an object is none")
  return value as Value
}

/** What a row says; null where it holds what cannot be read. */
export const ifReadable = <Row, Said>(read: (row: Row) => Said, row: Row): Said | null => {
  try {
    return read(row)
  } catch (error) {
    if (error instanceof DataUnreadable) return null
    throw error
  }
}

/** What rows of a list say. One that cannot be read takes the list from nobody: it is left out, and a log line counts it. */
export const readableOf = <Row, Said>(
  rows: ReadonlyArray<Row>,
  what: string,
  read: (row: Row) => Said
): Effect.Effect<ReadonlyArray<Said>> =>
  Effect.suspend(() => {
    const said = rows.flatMap((row) => {
      const one = ifReadable(read, row)
      return one === null ? [] : [one]
    })
    const lost = rows.length - said.length
    return lost === 0
      ? Effect.succeed(said)
      : Effect.as(
          Effect.logWarning(
            `${lost} of ${rows.length} ${what} cannot be read and ${lost === 1 ? "is" : "are"} left out of a list; 'kanon doctor' tells which.`
          ),
          said
        )
  })

/** A count, sum or 64-bit integer: Postgres gives text, SQLite a number. */
export const toNumber = (value: unknown): number => Number(value ?? 0)

/** Bytes of a blob column as a plain Uint8Array over its own memory. */
export const toBytes = (value: unknown): Uint8Array => {
  if (value instanceof Uint8Array) return new Uint8Array(value)
  throw unreadable("a column of bytes holds none")
}
