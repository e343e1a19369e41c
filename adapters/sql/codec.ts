/** How values cross the boundary to a database: text for JSON, 0 and 1 for truth, bytes as bytes. */

/** JSON text of a value. */
export const toJson = (value: unknown): string => JSON.stringify(value)

/** A value from JSON text that one of our own repositories wrote. */
export const fromJson = <Value>(text: unknown): Value => JSON.parse(String(text)) as Value

/** A count, sum or 64-bit integer: Postgres gives text, SQLite a number. */
export const toNumber = (value: unknown): number => Number(value ?? 0)

/** Bytes of a blob column as a plain Uint8Array over its own memory. */
export const toBytes = (value: unknown): Uint8Array => {
  if (value instanceof Uint8Array) return new Uint8Array(value)
  throw new TypeError("A blob column gave no bytes.")
}
