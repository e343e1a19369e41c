import { paint, tableColumns } from "./terminal.js"
import { cleanLine, counted, table } from "./text.js"

/** What each column shows of an item, by the column's title. */
type Columns<Item> = Readonly<Record<string, (item: Item) => string | number | null | undefined>>

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
  columns: Columns<Item>,
  { paint: painted = {}, right = [], shrink = [] }: TableOptions = {}
): string => {
  const titles = Object.keys(columns)
  return table(
    titles.map((title) => ({
      title,
      shrink: shrink.includes(title),
      ...(right.includes(title) ? { align: "right" as const } : {})
    })),
    items.map((item) => Object.values(columns).map((cell) => cleanLine(`${cell(item) ?? ""}`))),
    tableColumns(),
    (cell, column, isTitle) => {
      if (isTitle) return paint.dim(cell)
      const own = painted[titles[column] ?? ""]
      return own === undefined ? (column === 0 ? cell : paint.dim(cell)) : own(cell)
    }
  )
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
export const timeOf = (timestamp: string): string => timestamp.slice(0, 19).replace("T", " ")

/** An identifier in words: `machine extracted`. */
export const wordsOf = (identifier: string): string => identifier.replaceAll("_", " ")
