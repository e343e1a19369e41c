/** Tables whose cells are drawn: the rules of a page say where rows and columns are. */
import { linesText, textLines } from "./pdf-lines.js"
import { withOpenRows } from "./pdf-open-rows.js"
import { boxAround, type PdfTable, type PdfWord } from "./pdf-page.js"
import { gridOf, isDrawn, type Rules, tableRules } from "./pdf-rules.js"
import { rowsOfBand } from "./pdf-unruled.js"

/** Cells of a table that are looked at. */
const cellsMax = 20_000
/** A cell with more words is a part of a page's layout. */
const cellWordsMax = 200

type Middle = readonly [x: number, y: number]

const middleOfWord = ({ height, width, x, y }: PdfWord): Middle => [x + width / 2, y + height / 2]

/** The ruled tables of a page. */
export const ruledTables = (rules: Rules, words: ReadonlyArray<PdfWord>): ReadonlyArray<PdfTable> => {
  const middles = words.map(middleOfWord)
  return withOpenRows(tableRules(rules), words, middles).flatMap((part) => {
    const table = tableOf(part, words, middles)
    return table === null ? [] : [table]
  })
}

const tableOf = (
  { level, upright }: Rules,
  words: ReadonlyArray<PdfWord>,
  middles: ReadonlyArray<Middle>
): PdfTable | null => {
  const grid = gridOf({ level, upright }, middles)
  const [xs, ys] = [grid.xs.map(({ at }) => at), grid.ys.map(({ at }) => at)]
  const [columns, bands] = [xs.length - 1, ys.length - 1]
  if (columns < 2 || bands < 1 || columns * bands > cellsMax) return null
  const [left = 0, right = 0, top = 0, bottom = 0] = [xs[0], xs[columns], ys[0], ys[bands]]
  const box = { x: left, y: top, width: right - left, height: bottom - top }
  const middleOf = (places: ReadonlyArray<number>, at: number) =>
    ((places[at] ?? 0) + (places[at + 1] ?? 0)) / 2
  // Cells without a rule between them are one, whose text stands in the first of them.
  const first = Array.from({ length: bands }, () => new Array<number>(columns).fill(0))
  for (let band = 0; band < bands; band++)
    for (let column = 0; column < columns; column++) {
      const own = band * columns + column
      const isOpenLeft = column > 0 && !isDrawn(upright, grid.xs[column], middleOf(ys, band))
      const isOpenAbove = band > 0 && !isDrawn(level, grid.ys[band], middleOf(xs, column))
      const row = first[band] ?? []
      row[column] = isOpenLeft
        ? (row[column - 1] ?? own)
        : isOpenAbove
          ? (first[band - 1]?.[column] ?? own)
          : own
    }
  const held = new Map<number, Array<PdfWord>>()
  const used = new Set<PdfWord>()
  for (const [at, word] of words.entries()) {
    const [x, y] = middles[at] ?? middleOfWord(word)
    const column = xs.findIndex((place, at) => x >= place && x < (xs[at + 1] ?? -Infinity))
    const band = ys.findIndex((place, at) => y >= place && y < (ys[at + 1] ?? -Infinity))
    if (column < 0 || band < 0) continue
    const cell = first[band]?.[column] ?? 0
    const known = held.get(cell)
    if (known === undefined) held.set(cell, [word])
    else known.push(word)
    used.add(word)
  }
  const cells = new Set(first.flat()).size
  if (held.size * 3 < cells || [...held.values()].some(({ length }) => length > cellWordsMax)) return null
  const rows: Array<ReadonlyArray<string>> = []
  for (let band = 0; band < bands; band++) {
    const own = Array.from({ length: columns }, (_, column) => held.get(band * columns + column) ?? [])
    // Few rules between many lines are those of a header and of the whole table.
    const split = bands <= 3 ? rowsOfBand(own, xs.slice(1)) : null
    rows.push(...(split ?? [own.map((cell) => linesText(textLines(cell)))]))
  }
  const filled = rows.filter((row) => row.some((cell) => cell !== ""))
  const isKept = Array.from({ length: columns }, (_, column) =>
    filled.some((row) => (row[column] ?? "") !== "")
  )
  const kept = filled.map((row) => row.filter((_, column) => isKept[column]))
  if (kept.length < 2 || (kept[0]?.length ?? 0) < 2) return null
  return { ...boxAround([box, ...used]), rows: kept, words: used }
}
