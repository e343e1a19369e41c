import { markdownTable, plainCell } from "../../formats/table.js"

/** A database with more rows or columns is cut. */
const rowsMax = 5000
const columnsMax = 100

/** A database of Notion as a page with a table; the first column links to the pages of the rows. */
export const databaseTable = async (
  title: string,
  csv: Uint8Array,
  linkOf: (title: string) => string | null
): Promise<Uint8Array> => {
  const { default: Papa } = await import("papaparse")
  const { data } = Papa.parse<ReadonlyArray<string>>(new TextDecoder().decode(csv), {
    skipEmptyLines: "greedy"
  })
  const rows = data.slice(0, rowsMax + 1).map((row, at) =>
    row.slice(0, columnsMax).map((cell, column) => {
      const link = at > 0 && column === 0 ? linkOf(cell) : null
      return link === null ? plainCell(cell) : `[${plainCell(cell)}](${link})`
    })
  )
  const left = data.length > rowsMax + 1 ? `\n\n${data.length - 1 - rowsMax} more rows were left out.` : ""
  return new TextEncoder().encode(`# ${title}\n\n${markdownTable(rows)}${left}\n`)
}
