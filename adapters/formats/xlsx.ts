import readXlsxFile, { type CellValue } from "read-excel-file/node"
import type { ConvertibleFile } from "../../core/documents/index.js"
import { openArchive } from "./archive.js"
import { broken, type Conversion } from "./converted.js"
import { officeProperties } from "./office-properties.js"
import { boundedTable, charsMax } from "./sheet.js"
import { allOf, parseXml } from "./xml.js"

/** Converts a workbook: a section with a table for each sheet that is not hidden. */
export const convertXlsx = async ({ bytes }: ConvertibleFile): Promise<Conversion> => {
  const archive = openArchive(bytes, (name) =>
    /^xl\/workbook\.xml$|^docProps\/|^xl\/worksheets\/|^xl\/sharedStrings/.test(name)
  )
  const workbook = archive.text("xl/workbook.xml")
  if (workbook === undefined) throw broken("The file holds no workbook.")
  const hidden = new Set(
    allOf(parseXml(workbook), "sheet")
      .filter((sheet) => /hidden/i.test(sheet.getAttribute("state") ?? ""))
      .map((sheet) => sheet.getAttribute("name"))
  )
  const sheets = (await readXlsxFile(Buffer.from(bytes))).filter(({ sheet }) => !hidden.has(sheet))
  const sections: Array<string> = []
  const warnings: Array<{ readonly code: string; readonly message: string }> = []
  let left = charsMax
  for (const { data, sheet } of sheets) {
    const table = boundedTable(
      data.map((row) => row.map(cellText)),
      `The sheet ${sheet}`,
      left
    )
    left -= table.chars
    warnings.push(...table.warnings)
    if (table.markdown !== "") sections.push(`## ${sheet.replace(/\s+/g, " ")}\n\n${table.markdown}`)
  }
  return {
    ...officeProperties(archive),
    markdown: sections.join("\n\n"),
    warnings,
    imagesSkipped: archive.images
  }
}

const cellText = (value: CellValue | null): string =>
  value === null
    ? ""
    : value instanceof Date
      ? dateText(value)
      : typeof value === "number"
        ? String(Number(value.toPrecision(15)))
        : String(value)

/** A moment without its time where that is midnight. */
const dateText = (date: Date): string =>
  Number.isNaN(date.getTime())
    ? ""
    : date
        .toISOString()
        .replace(/T00:00:00\.000Z$/, "")
        .replace(/:00\.000Z$/, "")
        .replace("T", " ")
