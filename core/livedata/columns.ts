import type { ColumnInfo, DataRow } from "./model.js"

/** Names made distinct: a second `a` becomes `a_2`, or the next that no column has. */
export const distinctColumns = (columns: ReadonlyArray<ColumnInfo>): ReadonlyArray<ColumnInfo> => {
  const taken = new Set(columns.map(({ name }) => name))
  const seen = new Set<string>()
  return columns.map((column) => {
    if (!seen.has(column.name)) {
      seen.add(column.name)
      return column
    }
    let place = 2
    while (taken.has(`${column.name}_${place}`)) place += 1
    const name = `${column.name}_${place}`
    taken.add(name)
    return { ...column, name }
  })
}

/** Rows keyed by their distinct columns. */
export const keyedRows = (
  columns: ReadonlyArray<ColumnInfo>,
  rows: ReadonlyArray<ReadonlyArray<unknown>>
): ReadonlyArray<DataRow> =>
  rows.map((row) => Object.fromEntries(columns.map(({ name }, at) => [name, row[at] ?? null])))
