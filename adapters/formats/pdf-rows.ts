import type { PdfBlock, PdfPage, PdfWord } from "./pdf-page.js"
import { plainCell } from "./table.js"

type Box = Omit<PdfWord, "text">
/** The words of each column on one line. */
type Line = ReadonlyArray<ReadonlyArray<PdfWord>>

/** Puts rows of tables apart that the library took for one, where words stand on lines of their own in two columns. */
export const withRowsApart = (markdown: string, { blocks = [], textItems }: PdfPage): string => {
  const tables = blocks.filter(({ kind }) => kind === "table")
  const words = textItems.flatMap((item) => item.words ?? [item])
  let at = -1
  return markdown.replace(/^\|.*\|\n\|[-| :]+\|(?:\n\|.*\|)*$/gm, (written) => {
    at += 1
    const table = tables[at]
    return table === undefined ? written : apart(written, table, words)
  })
}

const apart = (written: string, table: PdfBlock, words: ReadonlyArray<PdfWord>): string => {
  const rows = [table.header ?? [], ...(table.rows ?? [])]
  const [header = "", rule = "", ...rest] = written.split("\n")
  const shown = [header, ...rest]
  const { bbox } = table
  if (shown.length !== rows.length || bbox === undefined) return written
  const lefts = columnLefts(rows)
  if (lefts === null) return written
  const tops = rows.map((row) =>
    Math.min(...row.flatMap(({ bbox: box }) => (box === undefined ? [] : [box.y])))
  )
  const right = bbox.x + bbox.width
  const result = shown.map((line, row) => {
    const [top = 0, end = bbox.y + bbox.height + 2] = [tops[row], tops[row + 1]]
    const inRow = words.filter(
      ({ height, width, x, y }) =>
        y + height / 2 > top && y + height / 2 < end && x + width / 2 > bbox.x && x + width / 2 < right + 2
    )
    // Words that stand upright say nothing by their lines.
    if (inRow.some(({ height, text, width }) => text.length > 2 && height > 2 * width)) return [line]
    const lines = linesOf(inRow, lefts)
    const groups = lines.reduce<Array<Array<Line>>>((found, next) => {
      const [last] = (found.at(-1) ?? []).slice(-1)
      if (last === undefined || isNewRow(last, next, lefts, row === 0)) found.push([next])
      else found.at(-1)?.push(next)
      return found
    }, [])
    const rowTexts = groups.map((group) => rowText(group, lefts.length))
    // Nothing of a row is lost, or it stays as it is.
    const areRows = groups.length > 1 && rowTexts.every((row) => (row.match(/[^\s|]+/g) ?? []).length > 1)
    return areRows && lettersOf(rowTexts.join("")) === lettersOf(line) ? rowTexts : [line]
  })
  const [[first = "", ...more] = [], ...others] = result
  return [first, rule, ...more, ...others.flat()].join("\n")
}

/** Returns the left edges of the columns; null when the rows differ in their number of cells. */
const columnLefts = (
  rows: ReadonlyArray<ReadonlyArray<{ readonly bbox?: Box }>>
): ReadonlyArray<number> | null => {
  const count = rows[0]?.length ?? 0
  if (rows.some(({ length }) => length !== count)) return null
  const lefts = Array.from({ length: count }, (_, column) =>
    Math.min(
      ...rows.flatMap((row) => {
        const box = row[column]?.bbox
        return box === undefined ? [] : [box.x]
      })
    )
  )
  return lefts.every((left, at) => Number.isFinite(left) && left > (lefts[at - 1] ?? -1)) ? lefts : null
}

const linesOf = (words: ReadonlyArray<PdfWord>, lefts: ReadonlyArray<number>): ReadonlyArray<Line> => {
  const lines: Array<Array<PdfWord>> = []
  for (const word of [...words].sort((a, b) => a.y - b.y)) {
    const [first] = lines.at(-1) ?? []
    if (first === undefined || word.y > first.y + first.height / 2) lines.push([word])
    else lines.at(-1)?.push(word)
  }
  return lines.map((line) =>
    lefts.map((left, column) => {
      const next = lefts[column + 1] ?? Number.POSITIVE_INFINITY
      return line.filter(({ x }) => x >= left - 2 && x < next - 2).sort((a, b) => a.x - b.x)
    })
  )
}

/** Whether a line begins a row: no text of the line before it would have gone on here, and two columns have words. */
const isNewRow = (before: Line, line: Line, lefts: ReadonlyArray<number>, isHeader: boolean): boolean => {
  if (line.filter(({ length }) => length > 0).length < 2) return false
  const shows = line.map((words, column) => {
    const [first] = words
    const last = before[column]?.at(-1)
    if (first === undefined) return "nothing"
    if (last === undefined) return "row"
    const next = lefts[column + 1]
    const end = last.x + last.width + first.width + first.height * 0.6
    // The width of the last column is unknown: several words there may be a text that continues.
    if (next === undefined) return (before[column]?.length ?? 0) > 2 ? "text" : "nothing"
    return /[,\-–/&]$/.test(last.text) || end >= next ? "text" : isHeader ? "nothing" : "row"
  })
  return shows.includes("row") && !shows.includes("text")
}

const lettersOf = (row: string): string => [...row.replace(/[^\p{L}\p{N}]/gu, "")].sort().join("")

const rowText = (lines: ReadonlyArray<Line>, columns: number): string => {
  const cells = Array.from({ length: columns }, (_, column) =>
    plainCell(
      lines
        .flatMap((line) => line[column] ?? [])
        .map(({ text }) => text)
        .join(" ")
    )
  )
  return `| ${cells.join(" | ")} |`
}
