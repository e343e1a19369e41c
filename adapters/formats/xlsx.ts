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
  const warnings: Array<{ readonly code: string; readonly message: string }> = []
  let left = charsMax
  for (const { formulas, name, rows } of readWorkbook(archive)) {
    const tables = boundedTables(rows, `The sheet ${name}`, left)
    left -= tables.chars
    warnings.push(...tables.warnings)
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
    warnings,
    imagesSkipped: archive.images
  }
}
