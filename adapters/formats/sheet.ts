import { type SheetCell, sheetTables } from "./sheet-tables.js"
import { escapeMarkdown, markdownTable, plainCell } from "./table.js"
import { hasHeadings } from "./table-headings.js"

/** Most rows and columns of one table, and characters of all of it. */
const rowsMax = 20_000
const columnsMax = 256
export const charsMax = 4_000_000
const cellCharsMax = 32_767

/** The tables of a sheet within the bounds, each below its lines. `what` names the sheet in warnings. */
export const boundedTables = (
  rows: ReadonlyArray<ReadonlyArray<SheetCell | undefined>>,
  what: string,
  charsLeft = charsMax
) => {
  const parts: Array<string> = []
  const warnings: Array<{ readonly code: string; readonly message: string }> = []
  let chars = 0
  for (const table of sheetTables(rows)) {
    const bounded = boundedTable(table.rows, what, charsLeft - chars)
    for (const line of table.lines)
      parts.push(escapeMarkdown(line.slice(0, cellCharsMax)).replace(/^([-+#>]|\d+[.)])(?=\s|$)/, "\\$1"))
    chars += bounded.chars
    warnings.push(...bounded.warnings)
    if (bounded.markdown !== "") parts.push(bounded.markdown)
  }
  return { markdown: parts.join("\n\n"), warnings, chars }
}

/** A table of plain cells within the bounds; a warning tells what was left out. `what` names the table in it. */
const boundedTable = (rows: ReadonlyArray<ReadonlyArray<string>>, what: string, charsLeft = charsMax) => {
  const tableRows: Array<ReadonlyArray<string>> = []
  let chars = 0
  for (const row of trimTable(rows.slice(0, rowsMax))) {
    const cells = row.slice(0, columnsMax).map((cell) => plainCell(cell.slice(0, cellCharsMax)))
    chars += cells.reduce((sum, cell) => sum + cell.length + 3, 0)
    if (chars > charsLeft) break
    tableRows.push(cells)
  }
  const filled = trimTable(rows)
  const wide = filled.some((row) => row.length > columnsMax)
  const isCut = tableRows.length < filled.length || wide
  const warnings = isCut
    ? [
        {
          code: "table_cut",
          message: `${what} holds more than is taken in: ${tableRows.length} of ${filled.length} rows and at most ${columnsMax} columns.`
        }
      ]
    : []
  return { markdown: markdownTable(tableRows, hasHeadings(filled)), warnings, chars }
}

/** Without rows that are empty and without columns that are empty in every row. */
const trimTable = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<string>> => {
  const filled = rows.filter((row) => row.some((cell) => cell.trim() !== ""))
  const used = new Set(
    filled.flatMap((row) => row.flatMap((cell, column) => (cell.trim() === "" ? [] : [column])))
  )
  const columns = [...used].sort((a, b) => a - b)
  return filled.map((row) => columns.map((column) => row[column] ?? ""))
}
