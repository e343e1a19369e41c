import type { z } from "zod"
import { formatUsd, parseUsd } from "../../core/platform/models/index.js"
import { fromJson, ifReadable, objectIn, ofShape, toBytes, toJson } from "./codec.js"

/** Value of a column. */
export type Cell = string | number | null | Uint8Array

/** How a field is stored in a column. */
export interface Column<Value> {
  /** Name of the column; by default that of the field in snake case. */
  readonly name?: string | undefined
  /** Name under which statements select it, if another. */
  readonly selectedAs?: string
  readonly read: (cell: unknown) => Value
  readonly write: (value: Value) => Cell
}

/** Conversions between an item and the columns that hold its fields. */
export interface Columns<Item> {
  /** Reads an item from a row, which may have more columns. */
  readonly read: (row: object) => Item
  /** Returns the columns of the fields that are given. */
  readonly write: (item: { readonly [Field in keyof Item]?: Item[Field] | undefined }) => Record<string, Cell>
}

export const text = <Value extends string | null>(name?: string): Column<Value> => ({
  name,
  read: (cell) => cell as Value,
  write: (value) => value
})

/** A number, which Postgres returns as text if it has 64 bits. */
export const number = <Value extends number | null>(name?: string): Column<Value> => ({
  name,
  read: (cell) => (cell === null ? cell : Number(cell)) as Value,
  write: (value) => value
})

/** A boolean as 0 or 1. */
export const flag = (name?: string): Column<boolean> => ({
  name,
  read: (cell) => Number(cell) === 1,
  write: (value) => (value ? 1 : 0)
})

export const bytes = (name?: string): Column<Uint8Array> => ({ name, read: toBytes, write: (value) => value })

export const json = <Value>(name?: string): Column<Value> => ({
  name,
  read: (cell) => fromJson<Value>(cell),
  write: (value) => toJson(value ?? null)
})

/** A JSON object; other JSON is refused. */
export const jsonObject = <Value>(name?: string): Column<Value> => ({
  name,
  read: (cell) => objectIn<Value>(String(cell)),
  write: toJson
})

/** JSON of a shape; other JSON is refused. */
export const shaped = <Value>(shape: z.ZodType<Value>, what: string): Column<Value> => ({
  read: (cell) => ofShape(shape, what, fromJson(cell)),
  write: toJson
})

/** The same with null for null. */
export const orNull = <Value>({ read, write, ...names }: Column<Value>): Column<Value | null> => ({
  ...names,
  read: (cell) => (cell === null ? null : read(cell)),
  write: (value) => (value === null ? null : write(value))
})

/** The same with a fallback for what cannot be read. */
export const lenient = <Value>(column: Column<Value>, fallback: Value): Column<Value> => ({
  ...column,
  read: (cell) => ifReadable(column.read, cell) ?? fallback
})

/** Whole 1e-10 US dollars as text, which the column's type takes on both databases. */
export const asUnits = (amount: string): string => String(parseUsd(amount))

/** An amount of money in whole 1e-10 US dollars; statements select it as text, because it may exceed a number. */
export const usd = (name: string, selectedAs: string): Column<string> => ({
  name,
  selectedAs,
  read: (cell) => formatUsd(BigInt(String(cell ?? 0))),
  write: asUnits
})

/** Declares the columns of an item, one for each field. */
export const columnsOf = <Item extends object>(
  fields: {
    readonly [Field in keyof Item]-?: Column<Item[Field]>
  }
): Columns<Item> => {
  const columns = Object.entries<Column<unknown>>(fields as Record<string, Column<unknown>>).map(
    ([field, { name = inSnakeCase(field), read, selectedAs = name, write }]) => ({
      field,
      name,
      read,
      selectedAs,
      write
    })
  )
  return {
    read: (row) => {
      const cells = row as Readonly<Record<string, unknown>>
      const item: Record<string, unknown> = {}
      for (const { field, read, selectedAs } of columns) item[field] = read(cells[selectedAs])
      return item as Item
    },
    write: (item) => {
      const values = item as Readonly<Record<string, unknown>>
      const cells: Record<string, Cell> = {}
      for (const { field, name, write } of columns)
        if (values[field] !== undefined) cells[name] = write(values[field])
      return cells
    }
  }
}

const inSnakeCase = (field: string): string =>
  field.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)
