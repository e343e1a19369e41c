import { posix } from "node:path"
import { getFormatFromId } from "numfmt"
import type { Archive } from "./archive.js"
import { type DayCount, isoText, numberText } from "./cell-text.js"
import { broken, tooLarge } from "./converted.js"
import type { SheetCell } from "./sheet-tables.js"
import { type MarkedRun, markedLine, type Script, struckText } from "./text-marks.js"
import { readXml } from "./xml-events.js"

/** A sheet of a workbook: its cells by rows and columns, merged cells repeated in all that they cover. */
export interface Sheet {
  readonly name: string
  readonly rows: ReadonlyArray<ReadonlyArray<SheetCell | undefined>>
  /** Cells with a formula whose result the file does not hold: `C2`. */
  readonly formulas: ReadonlyArray<string>
}

const bounds = { elements: 10_000_000, depth: 100 }
/** Rows and columns of a sheet in the format itself, and cells that merged ones may fill. */
const [rowsMax, columnsMax, mergedMax] = [1_048_576, 16_384, 200_000]
/** Places of a sheet from the first column to the last filled one of each row: a few cells far right make millions. */
const placesMax = 10_000_000

/** Reads the sheets of a workbook that are not hidden. */
export const readWorkbook = (archive: Archive): ReadonlyArray<Sheet> => {
  const workbook = archive.text("xl/workbook.xml")
  if (workbook === undefined) throw broken("The file holds no workbook.")
  const targets = relationshipsOf(archive, "xl/workbook.xml")
  const sheets: Array<{ readonly name: string; readonly path: string }> = []
  let [dayCount, recalculates]: [DayCount, boolean] = ["excel", false]
  readXml(
    workbook,
    {
      open: (name, attributes) => {
        if (name === "workbookPr")
          dayCount = isTrue(attributes.date1904)
            ? "1904"
            : /^(?:0|false)$/.test(attributes.dateCompatibility ?? "")
              ? "calendar"
              : "excel"
        if (name === "calcPr") recalculates = isTrue(attributes.fullCalcOnLoad)
        if (name !== "sheet" || /hidden/i.test(attributes.state ?? "")) return
        const id = Object.entries(attributes).find(([key]) => key.endsWith(":id"))?.[1] ?? ""
        const path = targets.get(id)
        if (path !== undefined) sheets.push({ name: attributes.name ?? "", path })
      }
    },
    bounds
  )
  const book = { strings: sharedStrings(archive), styles: cellStyles(archive), dayCount, recalculates }
  return sheets.flatMap(({ name, path }) => {
    const xml = archive.text(path)
    // Sheets that hold a chart alone have another form.
    return xml === undefined ? [] : [{ name, ...readSheet(xml, book) }]
  })
}

const isTrue = (value: string | undefined): boolean => value === "1" || value === "true"

/** Paths within the archive by the ids of the relationships of a part. */
const relationshipsOf = (archive: Archive, part: string): ReadonlyMap<string, string> => {
  const folder = posix.dirname(part)
  const xml = archive.text(`${folder}/_rels/${posix.basename(part)}.rels`)
  const targets = new Map<string, string>()
  if (xml === undefined) return targets
  readXml(
    xml,
    {
      open: (name, { Id, Target, TargetMode }) => {
        if (name === "Relationship" && Id !== undefined && Target !== undefined && TargetMode !== "External")
          targets.set(Id, Target.startsWith("/") ? Target.slice(1) : posix.join(folder, Target))
      }
    },
    bounds
  )
  return targets
}

/** The strings that cells share; of phonetic readings nothing. */
const sharedStrings = (archive: Archive): ReadonlyArray<string> => {
  const xml = archive.text("xl/sharedStrings.xml")
  const strings: Array<string> = []
  if (xml === undefined) return strings
  const rich = richText()
  readXml(
    xml,
    {
      open: (name, { val }) => {
        if (name === "si") rich.clear()
        rich.open(name, val)
      },
      close: (name, part) => {
        rich.close(name, part)
        if (name === "si") strings.push(rich.text())
      }
    },
    bounds
  )
  return strings
}

/** Gathers the runs of a string in a cell, with what is raised, lowered or struck. */
const richText = () => {
  let runs: Array<MarkedRun> = []
  let [script, struck, isPhonetic]: [Script, boolean, boolean] = ["plain", false, false]
  return {
    clear: () => {
      runs = []
    },
    open: (name: string, value: string | undefined) => {
      if (name === "rPh") isPhonetic = true
      if (name === "r") [script, struck] = ["plain", false]
      if (name === "vertAlign") script = scriptOf(value)
      if (name === "strike") struck = value === undefined || isTrue(value)
    },
    close: (name: string, part: string) => {
      if (name === "t" && !isPhonetic) runs.push({ text: unescaped(part), script, struck })
      if (name === "rPh") isPhonetic = false
      if (name === "r") [script, struck] = ["plain", false]
    },
    text: () => markedLine(runs, ({ text }) => text)
  }
}

const scriptOf = (value: string | undefined): Script =>
  value === "superscript" ? "raised" : value === "subscript" ? "lowered" : "plain"

/** `_x000D_` stands for a character that XML cannot hold. */
const unescaped = (text: string): string =>
  text.replace(/_x([0-9A-F]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

/** Properties of text that a cell style sets. */
interface CellStyle {
  readonly pattern: string
  readonly struck: boolean
}

const plainStyle: CellStyle = { pattern: "General", struck: false }

const cellStyles = (archive: Archive): ReadonlyArray<CellStyle> => {
  const xml = archive.text("xl/styles.xml")
  const own = new Map<number, string>()
  const struckFonts: Array<boolean> = []
  const styles: Array<CellStyle> = []
  if (xml === undefined) return styles
  let part = ""
  readXml(
    xml,
    {
      open: (name, { fontId, formatCode, numFmtId, val }) => {
        if (name === "cellXfs" || name === "fonts") part = name
        if (name === "numFmt") own.set(Number(numFmtId), formatCode ?? "General")
        if (name === "font" && part === "fonts") struckFonts.push(false)
        if (name === "strike" && part === "fonts")
          struckFonts[struckFonts.length - 1] = val === undefined || isTrue(val)
        if (name === "xf" && part === "cellXfs")
          styles.push({
            pattern: own.get(Number(numFmtId)) ?? getFormatFromId(Number(numFmtId ?? 0)) ?? "General",
            struck: struckFonts[Number(fontId ?? 0)] ?? false
          })
      },
      close: (name) => {
        if (name === part) part = ""
      }
    },
    bounds
  )
  return styles
}

interface Book {
  readonly strings: ReadonlyArray<string>
  readonly styles: ReadonlyArray<CellStyle>
  readonly dayCount: DayCount
  /** Whether programs are to compute all formulas when they open the file, since its maker could not. */
  readonly recalculates: boolean
}

/** A cell as the file holds it. */
interface StoredCell {
  readonly type: string
  readonly style: number | undefined
  readonly value: string
  readonly text: string
}

const readSheet = (xml: string, book: Book): Omit<Sheet, "name"> => {
  const stored: Array<Array<StoredCell | undefined>> = []
  /** Rows and columns of cells with formulas, and the places that formulas of several cells fill. */
  const formulas: Array<readonly [row: number, column: number]> = []
  const filledByFormulas: Array<string> = []
  const merged: Array<string> = []
  const columnStyles: Array<number | undefined> = []
  let [row, column] = [-1, -1]
  let [type, style, value, hasFormula]: [string, number | undefined, string, boolean] = [
    "n",
    undefined,
    "",
    false
  ]
  const rich = richText()
  readXml(
    xml,
    {
      open: (name, attributes) => {
        if (name === "row") {
          row = Number(attributes.r ?? row + 2) - 1
          column = -1
        } else if (name === "c") {
          const place = attributes.r === undefined ? null : placeOf(attributes.r)
          column = place?.column ?? column + 1
          ;[type, style, value, hasFormula] = [attributes.t ?? "n", indexOf(attributes.s), "", false]
          rich.clear()
        } else if (name === "col") {
          const last = Math.min(columnsMax, Number(attributes.max ?? 0))
          for (let at = Math.max(1, Number(attributes.min ?? 1)); at <= last; at++)
            columnStyles[at - 1] = indexOf(attributes.style)
        } else if (name === "f" && attributes.ref !== undefined && attributes.t === "array")
          filledByFormulas.push(attributes.ref)
        else if (name === "mergeCell" && attributes.ref !== undefined) merged.push(attributes.ref)
        else rich.open(name, attributes.val)
      },
      close: (name, part) => {
        rich.close(name, part)
        if (name === "v") value = part
        else if (name === "f") hasFormula = true
        else if (name === "c" && row >= 0 && row < rowsMax && column >= 0 && column < columnsMax) {
          if (hasFormula) formulas.push([row, column])
          const text = rich.text()
          if (value === "" && text === "" && !hasFormula) return
          const cells = stored[row] ?? []
          stored[row] = cells
          cells[column] = { type, style, value, text }
        }
      }
    },
    bounds
  )
  if (stored.reduce((sum, cells) => sum + cells.length, 0) > placesMax) throw tooWide
  if (book.recalculates) forgetZeros(stored, formulas, filledByFormulas)
  const styleOf = cellStyle(stored, columnStyles, book.styles)
  const rows = Array.from(stored, (cells) =>
    Array.from(cells ?? [], (cell, at) => {
      const shown = cell === undefined ? undefined : cellOf(cell, styleOf(cell, at), book)
      return shown === undefined || shown.text === "" ? undefined : shown
    })
  )
  repeatMerged(rows, merged)
  if (rows.reduce((sum, cells) => sum + cells.length, 0) > placesMax) throw tooWide
  return {
    rows,
    formulas: formulas.flatMap(([atRow, atColumn]) => {
      const cell = stored[atRow]?.[atColumn]
      return cell !== undefined && cell.value === "" && cell.type !== "str"
        ? [`${columnName(atColumn)}${atRow + 1}`]
        : []
    })
  }
}

const tooWide = tooLarge(`The rows of a sheet span more than ${placesMax} cells.`)

const indexOf = (attribute: string | undefined): number | undefined =>
  attribute === undefined ? undefined : Number(attribute)

/**
 * Takes the results of formulas away where all of a sheet's are zero: libraries that cannot compute store 0, and ask
 * for the computation of all formulas when the file is opened.
 */
const forgetZeros = (
  stored: ReadonlyArray<Array<StoredCell | undefined>>,
  formulas: ReadonlyArray<readonly [row: number, column: number]>,
  filledByFormulas: ReadonlyArray<string>
): void => {
  const isNumber = (cell: StoredCell | undefined): boolean => cell?.type === "n" && cell.value !== ""
  const isZero = (cell: StoredCell | undefined): cell is StoredCell =>
    isNumber(cell) && Number(cell?.value) === 0
  const results = formulas.map(([row, column]) => stored[row]?.[column]).filter(isNumber)
  if (results.length === 0 || !results.every(isZero)) return
  const forget = (row: number, column: number): void => {
    const cells = stored[row]
    const cell = cells?.[column]
    if (cells !== undefined && isZero(cell)) cells[column] = { ...cell, value: "" }
  }
  for (const [row, column] of formulas) forget(row, column)
  for (const reference of filledByFormulas) {
    const [from, to] = reference.split(":").map(placeOf)
    if (from === null || from === undefined || to === null || to === undefined) continue
    for (let row = from.row; row <= Math.min(to.row, stored.length - 1); row++)
      for (let column = from.column; column <= Math.min(to.column, (stored[row]?.length ?? 0) - 1); column++)
        forget(row, column)
  }
}

/**
 * The style of a cell: its own; that of its column where no number of the column has one, as some programs leave
 * styles to columns; else the first one.
 */
const cellStyle = (
  stored: ReadonlyArray<ReadonlyArray<StoredCell | undefined> | undefined>,
  columnStyles: ReadonlyArray<number | undefined>,
  styles: ReadonlyArray<CellStyle>
): ((cell: StoredCell, column: number) => CellStyle) => {
  const styledColumns = new Set<number>()
  if (columnStyles.length > 0)
    for (const cells of stored)
      for (const [at, cell] of (cells ?? []).entries())
        if (cell?.type === "n" && cell.style !== undefined) styledColumns.add(at)
  return ({ style }, column) =>
    styles[style ?? (styledColumns.has(column) ? 0 : (columnStyles[column] ?? 0))] ?? plainStyle
}

const cellOf = (cell: StoredCell, { pattern, struck }: CellStyle, book: Book): SheetCell => {
  const [shown, isValue] = shownOf(cell, pattern, book)
  return { text: struck ? struckText(shown) : shown, isValue }
}

const shownOf = (
  { text, type, value }: StoredCell,
  pattern: string,
  { dayCount, strings }: Book
): readonly [text: string, isValue: boolean] => {
  if (type === "s") return [value === "" ? "" : (strings[Number(value)] ?? ""), false]
  if (type === "inlineStr") return [text, false]
  if (type === "str") return [unescaped(value), false]
  if (type === "b") return [value === "1" ? "true" : value === "" ? "" : "false", true]
  if (type === "e") return [value, true]
  if (type === "d") return [isoText(value, pattern), true]
  const number = Number(value)
  return value.trim() === "" || Number.isNaN(number)
    ? ["", false]
    : [numberText(number, pattern, dayCount), true]
}

/** `BC12` as a row and a column, both from 0. */
const placeOf = (reference: string): { readonly row: number; readonly column: number } | null => {
  const [, letters = "", digits = ""] = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/.exec(reference) ?? []
  if (letters === "") return null
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return { row: Number(digits) - 1, column: column - 1 }
}

const columnName = (column: number): string =>
  column < 26
    ? String.fromCharCode(65 + column)
    : columnName(Math.floor(column / 26) - 1) + String.fromCharCode(65 + (column % 26))

/** Repeats merged cells in what they cover, so that each row and column can be read alone. */
const repeatMerged = (rows: Array<Array<SheetCell | undefined>>, merged: ReadonlyArray<string>): void => {
  let left = mergedMax
  const [height, width] = [rows.length, rows.reduce((most, cells) => Math.max(most, cells?.length ?? 0), 0)]
  for (const reference of merged) {
    const [from, to] = reference.split(":").map(placeOf)
    const cell = from === null || from === undefined ? undefined : rows[from.row]?.[from.column]
    if (cell === undefined || from === null || from === undefined || to === null || to === undefined) continue
    for (let row = from.row; row <= Math.min(to.row, height - 1) && left > 0; row++) {
      const cells = rows[row] ?? []
      rows[row] = cells
      for (let column = from.column; column <= Math.min(to.column, width - 1) && left > 0; column++) {
        // Programs keep values below a merged cell that no one sees.
        if (row !== from.row || column !== from.column) cells[column] = { ...cell, isCovered: true }
        left -= 1
      }
    }
  }
}
