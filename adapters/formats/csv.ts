import Papa from "papaparse"
import type { ConvertibleFile } from "../../core/files/documents/index.js"
import type { Conversion } from "./converted.js"
import { decodeText } from "./decode-text.js"
import { boundedTables } from "./sheet.js"
import { isValueText } from "./table-headings.js"

/** Converts comma, semicolon or tab separated values to tables, with the lines above them. */
export const convertCsv = (file: ConvertibleFile): Conversion => {
  const text = decodeText(file.bytes)
  const declared = /^sep=(.)\n/i.exec(text)
  const values = declared === null ? text : text.slice(declared[0].length)
  const given = declared?.[1] ?? (/\.tsv$/i.test(file.name) ? "\t" : "")
  // Empty lines part tables, but mislead the recognition of the delimiter.
  const sample = Papa.parse<unknown>(values, { delimiter: given, preview: 50, skipEmptyLines: "greedy" })
  const { data } = Papa.parse<ReadonlyArray<string>>(values, { delimiter: sample.meta.delimiter })
  const plain = data.map((row) => row.join("\n")).join("\n")
  const { markdown, warnings } = boundedTables(
    withRowNames(data).map((row) => row.map(cellOf)),
    "The file"
  )
  return { markdown, warnings, ...(warnings.length === 0 ? { plain } : {}) }
}

/** Rows below a header that is shorter by one, as R writes tables whose rows have names: an empty heading for these. */
const withRowNames = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<string>> => {
  const [header, ...rest] = rows
  const filled = rest.filter((row) => row.length > 1 || (row[0] ?? "") !== "")
  if (header === undefined || filled.length === 0) return rows
  const names = filled.map(([name = ""]) => name)
  const isShort =
    filled.every(({ length }) => length === header.length + 1) &&
    // A delimiter at the end of each row makes no column.
    filled.some((row) => row.at(-1) !== "") &&
    header.every((cell) => cell.trim() !== "" && !isValueText(cell)) &&
    names.every((name) => name !== "") &&
    new Set(names).size === names.length
  return isShort ? [["", ...header], ...rest] : rows
}

const cellOf = (text: string) => ({ text, isValue: isValueText(text) })
