/**
 * Rows of drawn tables around which nothing is drawn: headings above the first rule, and every second row where the others
 * have a colour. Their words stand between the edges of the columns.
 */
import { type PdfTextLine, textLines } from "./pdf-lines.js"
import { boxAround, emOf, type PdfWord } from "./pdf-page.js"
import { type Edge, gridOf, type Rules } from "./pdf-rules.js"

/** Tables of a page that are compared with each other, and lines of a row that are looked at. */
const [tablesMax, linesMax] = [400, 6]
/** Columns whose edges are this near to each other are the same. */
const same = 3
/** The least width of the gap between two cells of a line, where an edge stands in it and where none does, as a share of the type's size. */
const [edgeGap, wideGap] = [0.4, 0.62]

interface Part {
  readonly rules: Rules
  readonly xs: ReadonlyArray<Edge>
  readonly ys: ReadonlyArray<Edge>
  /** The height of the last row that nothing is drawn around; 0 where there is none. */
  readonly open: number
}

/** The rules of tables with those that their open rows lack. */
export const withOpenRows = (
  tables: ReadonlyArray<Rules>,
  words: ReadonlyArray<PdfWord>,
  middles: ReadonlyArray<readonly [number, number]>
): ReadonlyArray<Rules> => {
  if (tables.length === 0 || tables.length > tablesMax) return tables
  const parts = tables
    .map((rules): Part => ({ rules, ...gridOf(rules, middles), open: 0 }))
    .sort((a, b) => topOf(a) - topOf(b))
  const joined: Array<Part> = []
  for (const part of parts) {
    const above = joined.findLastIndex((other) => isBelow(other, part, words))
    const before = joined[above]
    if (before === undefined) joined.push(part)
    else joined[above] = joinedParts(before, part)
  }
  return joined.map((part) => withRowBelow(withHeadings(part, words), words).rules)
}

const topOf = ({ ys }: Part): number => ys[0]?.from ?? 0
const bottomOf = ({ ys }: Part): number => ys.at(-1)?.to ?? 0
const columnsOf = ({ xs }: Part): number => xs.length - 1

/** The height of a row at an end of a table. */
const heightOf = ({ ys }: Part, isLast: boolean): number => {
  const [from, to] = isLast ? [ys.at(-2), ys.at(-1)] : [ys[0], ys[1]]
  return (to?.at ?? 0) - (from?.at ?? 0)
}

/** The words between two heights within the sides of a table, as lines. */
const linesBetween = ({ xs }: Part, words: ReadonlyArray<PdfWord>, top: number, bottom: number) => {
  const [left, right] = [xs[0]?.from ?? 0, xs.at(-1)?.to ?? 0]
  return textLines(
    words.filter(
      ({ height, width, x, y }) =>
        y + height / 2 > top && y + height / 2 < bottom && x > left - 2 && x + width < right + 2
    )
  )
}

/** The columns that a line has words in; null where words stand across the edge of a column, as those of text do. */
const columnsWith = (line: PdfTextLine, { xs }: Part): ReadonlySet<number> | null => {
  const columns = new Set<number>()
  const [first] = line
  const em = first === undefined ? 0 : emOf(first)
  let before: { readonly end: number; readonly column: number } | null = null
  for (const { width, x } of line) {
    const end = x + width
    const column = xs.findIndex(({ from }, at) => x > from - 1 && end < (xs[at + 1]?.to ?? -Infinity) + 1)
    if (column < 0) return null
    if (before !== null && before.column !== column && x - before.end < edgeGap * em) return null
    if (before !== null && before.column === column && x - before.end > 3 * wideGap * em) return null
    columns.add(column)
    before = { end, column }
  }
  return columns
}

/** Whether a table goes on with another below it, after a row around which nothing is drawn. */
const isBelow = (above: Part, part: Part, words: ReadonlyArray<PdfWord>): boolean => {
  const gap = topOf(part) - bottomOf(above)
  if (columnsOf(above) < 2 || above.xs.length !== part.xs.length || gap <= 0) return false
  if (gap > 3 * Math.max(heightOf(above, true), heightOf(part, false))) return false
  if (!above.xs.every(({ at }, index) => Math.abs(at - (part.xs[index]?.at ?? Infinity)) < same)) return false
  const lines = linesBetween(above, words, bottomOf(above), topOf(part))
  const filled = lines.map((line) => columnsWith(line, above))
  return (
    lines.length > 0 &&
    lines.length <= linesMax &&
    filled.every((columns) => columns !== null) &&
    filled.some((columns) => (columns?.size ?? 0) > 1)
  )
}

const joinedParts = (above: Part, part: Part): Part => ({
  rules: {
    level: [...above.rules.level, ...part.rules.level],
    upright: [
      ...above.rules.upright,
      ...part.rules.upright,
      ...above.xs.map(({ at }) => ({ at, from: bottomOf(above), to: topOf(part) }))
    ]
  },
  xs: above.xs,
  ys: [...above.ys, ...part.ys],
  open: topOf(part) - bottomOf(above)
})

const hasNumber = (words: ReadonlyArray<PdfWord>): boolean => words.some(({ text }) => /\p{Nd}/u.test(text))

/** A table with the lines above it that head its columns. */
const withHeadings = (part: Part, words: ReadonlyArray<PdfWord>): Part => {
  const [top, count] = [topOf(part), columnsOf(part)]
  if (count < 2) return part
  const lines = [...linesBetween(part, words, top - 6 * heightOf(part, false), top)].reverse()
  const heads = new Set<number>()
  let start = top
  for (const line of lines.slice(0, linesMax)) {
    const { height, y } = boxAround(line)
    const [first] = line
    const em = first === undefined ? height : emOf(first)
    const columns = columnsWith(line, part)
    if (columns === null || start - y - height > (start === top ? 0.9 : 0.5) * em) break
    for (const column of columns) heads.add(column)
    start = y
  }
  // A title at the left and a unit at the right stand above a table that has headings of its own.
  const own = linesBetween(part, words, top, part.ys[1]?.at ?? top).flat()
  const above = linesBetween(part, words, start - 1, top).flat()
  const isHeading =
    heads.size === count ||
    (heads.size > 1 && heads.size * 5 >= count * 3 && hasNumber(own) && !hasNumber(above))
  return start === top || !isHeading ? part : withRow(part, start - 1, top)
}

/** A table of which every second row has a colour, with a last row that has none. */
const withRowBelow = (part: Part, words: ReadonlyArray<PdfWord>): Part => {
  const bottom = bottomOf(part)
  if (part.open === 0) return part
  const line = linesBetween(part, words, bottom, bottom + 1.1 * part.open)
  const filled = line.map((one) => columnsWith(one, part))
  const isRow =
    line.length > 0 &&
    filled.every((columns) => columns !== null) &&
    filled.some((columns) => (columns?.size ?? 0) > 1)
  const { height, y } = boxAround(line.flat())
  return isRow ? withRow(part, bottom, y + height + 1) : part
}

/** A table with a row more, above or below. */
const withRow = ({ open, rules, xs, ys }: Part, from: number, to: number): Part => {
  const [left, right] = [xs[0]?.at ?? 0, xs.at(-1)?.at ?? 0]
  return {
    rules: {
      level: [...rules.level, { at: from, from: left, to: right }, { at: to, from: left, to: right }],
      upright: [...rules.upright, ...xs.map(({ at }) => ({ at, from, to }))]
    },
    xs,
    ys,
    open
  }
}
