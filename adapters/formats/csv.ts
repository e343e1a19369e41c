import Papa from "papaparse"
import type { ConvertibleFile } from "../../core/documents/index.js"
import type { Conversion } from "./converted.js"
import { decodeText } from "./decode-text.js"
import { boundedTable } from "./sheet.js"

/** Converts comma, semicolon or tab separated values to one table; the first row is its header. */
export const convertCsv = (file: ConvertibleFile): Conversion => {
  const text = decodeText(file.bytes)
  const declared = /^sep=(.)\n/i.exec(text)
  const { data } = Papa.parse<ReadonlyArray<string>>(
    declared === null ? text : text.slice(declared[0].length),
    {
      delimiter: declared?.[1] ?? (/\.tsv$/i.test(file.name) ? "\t" : ""),
      skipEmptyLines: "greedy"
    }
  )
  const { markdown, warnings } = boundedTable(data, "The file")
  return { markdown, warnings }
}
