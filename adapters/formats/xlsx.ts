import type { ConvertibleFile } from "../../core/files/documents/index.js"
import { openArchive } from "./archive.js"
import type { Conversion } from "./converted.js"
import { officeProperties } from "./office-properties.js"
import { boundedTables, charsMax } from "./sheet.js"
import { readWorkbook } from "./workbook.js"

/** Cells that a warning names. */
const cellsNamed = 10

/** Converts a workbook: a section for each sheet that is not hidden, with its tables. */
export const convertXlsx = ({ bytes }: ConvertibleFile): Conversion => {
  const archive = openArchive(bytes, (name) =>
    /^xl\/(?:_rels\/)?workbook\.xml|^docProps\/|^xl\/worksheets\/|^xl\/(?:sharedStrings|styles)\.xml$/.test(
      name
    )
  )
  const sections: Array<string> = []
  const plain: Array<string> = []
  const warnings: Array<{ readonly code: string; readonly message: string }> = []
  let left = charsMax
  for (const { formulas, name, rows } of readWorkbook(archive)) {
    const tables = boundedTables(rows, `The sheet ${name}`, left)
    left -= tables.chars
    warnings.push(...tables.warnings)
    // A table that is cut has its own warning.
    if (tables.warnings.length === 0) plain.push(shownText(rows))
    if (formulas.length > 0)
      warnings.push({
        code: "formulas_without_results",
        message: `The sheet ${name} has ${formulas.length} formulas without stored results, whose cells are empty: ${formulas.slice(0, cellsNamed).join(", ")}${formulas.length > cellsNamed ? " …" : ""}. Opening and saving it in a spreadsheet program stores them.`
      })
    if (tables.markdown !== "") sections.push(`## ${name.replace(/\s+/g, " ")}\n\n${tables.markdown}`)
  }
  return {
    ...officeProperties(archive),
    markdown: sections.join("\n\n"),
    plain: plain.join("\n"),
    warnings,
    imagesSkipped: archive.images
  }
}

/** The shown text of each cell, merged cells once. */
const shownText = (rows: ReturnType<typeof readWorkbook>[number]["rows"]): string =>
  rows
    .flatMap((cells) =>
      (cells ?? []).flatMap((cell) => (cell === undefined || cell.isCovered === true ? [] : [cell.text]))
    )
    .join("\n")
