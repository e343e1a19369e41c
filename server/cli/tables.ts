import { paint, tableColumns } from "./terminal.js"
import { cleanLine, counted, table } from "./text.js"

type Shown = string | number | boolean | null | undefined

/** A column of a table: a field, which is also the title, or a title with a field or a function of the item. */
type Column<Item> = Field<Item> | readonly [title: string, cell: Field<Item> | ((item: Item) => Shown)]
type Field<Item> = { [Key in keyof Item & string]: Item[Key] extends Shown ? Key : never }[keyof Item &
  string]

/** The title of a column, and what it shows of an item. */
const titledColumn = <Item>(column: Column<Item>): readonly [string, (item: Item) => string] => {
  const [title, cell] = typeof column === "string" ? ([column, column] as const) : column
  return [title, (item) => cellText(typeof cell === "function" ? cell(item) : item[cell])]
}

const cellText = (value: unknown): string =>
  cleanLine(typeof value === "boolean" ? yesOrNo(value) : `${value ?? ""}`)

interface TableOptions {
  /** Columns that give way on a narrow terminal. */
  readonly shrink?: ReadonlyArray<string>
  /** Columns of numbers. */
  readonly right?: ReadonlyArray<string>
  /** How cells are coloured; by default the first column is plain and the others are dim. */
  readonly paint?: Readonly<Record<string, (cell: string) => string>>
}

/** A table of items, one a line. */
export const tableOf = <Item>(
  items: ReadonlyArray<Item>,
  columns: ReadonlyArray<Column<Item>>,
  { paint: painted = {}, right = [], shrink = [] }: TableOptions = {}
): string => {
  const titled = columns.map(titledColumn)
  return table(
    titled.map(([title]) => ({
      title,
      shrink: shrink.includes(title),
      ...(right.includes(title) ? { align: "right" as const } : {})
    })),
    items.map((item) => titled.map(([, textOf]) => textOf(item))),
    tableColumns(),
    (cell, column, isTitle) => {
      if (isTitle) return paint.dim(cell)
      const own = painted[titled[column]?.[0] ?? ""]
      return own === undefined ? (column === 0 ? cell : paint.dim(cell)) : own(cell)
    }
  )
}

/** A page of items as a table with its place in the whole list, or that there is nothing. */
export const listOf = <Item>(
  noun: string | readonly [one: string, many: string],
  items: ReadonlyArray<Item>,
  { offset = 0, total }: { readonly total: number; readonly offset?: number },
  columns: ReadonlyArray<Column<Item>>,
  options?: TableOptions
): string => {
  const [one, many] = typeof noun === "string" ? [noun] : noun
  return listing(tableOf(items, columns, options), { total, offset }, items.length, one, many)
}

/** A page of a list: its rows and its place in the whole list, or that there is nothing. */
export const listing = (
  rows: string,
  page: { readonly total: number; readonly offset: number },
  shownCount: number,
  one: string,
  many = `${one}s`
): string => {
  if (page.total === 0) return `No ${many}.`
  if (shownCount === 0) return `No more ${many}: there ${page.total === 1 ? "is" : "are"} ${page.total}.`
  const from = page.offset + 1
  const range = page.total === shownCount ? "" : `${from} to ${page.offset + shownCount} of `
  return `${rows}\n\n${paint.dim(`${range}${counted(page.total, one, many)}`)}`
}

/** Names with their values, one a line; values that are empty are left out. */
export const factLines = (
  facts: ReadonlyArray<readonly [name: string, value: string | number | null | undefined]>,
  indent = ""
): ReadonlyArray<string> => {
  const width = Math.max(...facts.map(([name]) => name.length))
  return facts
    .filter(([, value]) => value !== "" && value !== null && value !== undefined)
    .map(([name, value]) => `${indent}${paint.dim(name.padEnd(width))}  ${value}`)
}

/** The day of an ISO timestamp. */
export const dayOf = (timestamp: string | null): string => timestamp?.slice(0, 10) ?? ""

/** Day and time (UTC) of an ISO timestamp. */
export const timeOf = (timestamp: string | null | undefined): string =>
  timestamp?.slice(0, 19).replace("T", " ") ?? ""

export const yesOrNo = (is: boolean): string => (is ? "yes" : "no")

/** An identifier in words: `machine extracted`. */
export const wordsOf = (identifier: string): string => identifier.replaceAll("_", " ")
