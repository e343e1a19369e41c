/** Tables without drawn cells: lines of words that leave the same gaps free are rows, and what stands between the gaps columns. */
import { linesText, type PdfTextLine, textLines } from "./pdf-lines.js"
import { boxAround, emOf, type PdfTable, type PdfWord } from "./pdf-page.js"

/** Words of a page that are looked at. */
const wordsMax = 20_000
/** The least width of a gap between columns on one line, and over all lines of a table, as a share of the type's height. */
const [lineGap, tableGap] = [0.62, 0.4]

interface Line {
  readonly words: PdfTextLine
  readonly top: number
  readonly bottom: number
  readonly height: number
  /** Whether it has a gap as wide as one between columns. */
  readonly isParted: boolean
}

/** A drawn line that is level: its height, and where it begins and ends. */
interface LevelRule {
  readonly at: number
  readonly from: number
  readonly to: number
}

type Span = readonly [number, number]

/** The tables of some words of a page; `rules` are the heights of level rules, with their ends. */
export const unruledTables = (
  words: ReadonlyArray<PdfWord>,
  rules: ReadonlyArray<LevelRule>
): ReadonlyArray<PdfTable> => {
  if (words.length > wordsMax) return []
  return sidesOf(words).flatMap((side) => {
    const lines = textLines(side).map(lineOf)
    const tables: Array<PdfTable> = []
    for (let at = 0; at < lines.length; ) {
      const plain = lines[at]?.isParted === true ? regionFrom(lines, at, rules) : null
      const region = plain === null ? null : (headedRegion(lines, at, rules, plain) ?? plain)
      const table = region !== null && region.lines.length > 1 ? tableOf(region, rules) : null
      if (table !== null) tables.push(table)
      at += Math.max(1, region?.lines.length ?? 0)
    }
    return tables
  })
}

const lineOf = (words: PdfTextLine): Line => {
  const { height, y } = boxAround(words)
  const em = lineEm(words)
  const isParted = words.some((word, at) => {
    const before = words[at - 1]
    return before !== undefined && word.x - before.x - before.width > lineGap * em
  })
  return { words, top: y, bottom: y + height, height: em, isParted }
}

/** The size of the type of a line. */
const lineEm = (words: PdfTextLine): number => {
  const sizes = words.map(emOf).sort((a, b) => a - b)
  return sizes[Math.floor(sizes.length / 2)] ?? 0
}

/** A page of two columns of prose as its columns; else the whole page. */
const sidesOf = (words: ReadonlyArray<PdfWord>): ReadonlyArray<ReadonlyArray<PdfWord>> => {
  if (words.length < 80) return [words]
  const { width, x } = boxAround(words)
  const crossing = (middle: number) =>
    words.filter((word) => word.x < middle && word.x + word.width > middle).length
  const middles = [0.5, 0.48, 0.52, 0.46, 0.54, 0.44, 0.56, 0.42, 0.58]
    .map((part) => x + width * part)
    .filter((middle) => crossing(middle) <= words.length * 0.04)
  for (const middle of middles.slice(0, 2)) {
    const sides = [
      words.filter((word) => word.x + word.width / 2 < middle),
      words.filter((word) => word.x + word.width / 2 >= middle)
    ]
    const isProse = sides.every((side) => {
      const lines = textLines(side)
      return lines.filter(({ length }) => length >= 5).length > Math.max(6, lines.length * 0.5)
    })
    if (isProse) return sides
  }
  return [words]
}

/** The places across some lines that words take, from the left; those nearer to each other than a gap are one. */
const takenWith = (taken: ReadonlyArray<Span>, { words }: Line, least: number): ReadonlyArray<Span> => {
  const spans = [...taken, ...words.map(({ width, x }): Span => [x, x + width])].sort((a, b) => a[0] - b[0])
  const merged: Array<Span> = []
  for (const span of spans) {
    const last = merged.at(-1)
    if (last !== undefined && span[0] - last[1] <= least)
      merged[merged.length - 1] = [last[0], Math.max(last[1], span[1])]
    else merged.push(span)
  }
  return merged
}

/** The gaps between taken places: wide ones, and those with words on both sides in several lines. */
const gapsOf = (taken: ReadonlyArray<Span>, lines: ReadonlyArray<Line>): ReadonlyArray<Span> => {
  const em = lines[0]?.height ?? 0
  return taken.slice(1).flatMap((span, at): ReadonlyArray<Span> => {
    const before = taken[at] ?? span
    const gap: Span = [before[1], span[0]]
    if (lines.length === 1) return gap[1] - gap[0] > lineGap * em ? [gap] : []
    if (gap[1] - gap[0] > em) return [gap]
    const isIn = (line: Line, [from, to]: Span) =>
      line.words.some(({ width, x }) => x >= from - 0.1 && x + width <= to + 0.1)
    let parted = 0
    for (const line of lines) {
      if (isIn(line, before) && isIn(line, span)) parted += 1
      if (parted > 1) return [gap]
    }
    return []
  })
}

/** Lines of a table, the gaps between its columns, and the parts of its first line where each heads a column. */
interface Region {
  readonly lines: ReadonlyArray<Line>
  readonly gaps: ReadonlyArray<Span>
  readonly heads?: ReadonlyArray<PdfTextLine>
}

/** The parts of a line between its wide gaps. */
const partsOf = ({ height, words }: Line): ReadonlyArray<PdfTextLine> =>
  words.reduce<Array<Array<PdfWord>>>((parts, word) => {
    const last = parts.at(-1)
    const before = last?.at(-1)
    if (last === undefined || before === undefined || word.x - before.x - before.width > lineGap * height)
      parts.push([word])
    else last.push(word)
    return parts
  }, [])

/**
 * A table whose first line has a part above each column of the lines below it, wherever in the column that stands: sheets
 * have texts at the left and numbers at the right. Null where the table is no larger than one that is found without.
 */
const headedRegion = (
  lines: ReadonlyArray<Line>,
  start: number,
  rules: ReadonlyArray<LevelRule>,
  other: Region
): Region | null => {
  const [first, second] = [lines[start], lines[start + 1]]
  if (first === undefined || second === undefined) return null
  const heads = partsOf(first)
  if (heads.length < 2) return null
  const least = tableGap * first.height
  let taken: ReadonlyArray<Span> = []
  let end = start + 1
  for (; end < lines.length; end++) {
    const [before, line] = [lines[end - 1], lines[end]]
    if (before === undefined || line === undefined || isEnd(before, line, first, rules)) break
    const next = takenWith(taken, line, least)
    if (end > start + 1 && next.length < heads.length) break
    taken = next
  }
  const columns = taken
  const isAbove = heads.every((head, at) => {
    const { width, x } = boxAround(head)
    const [left, right] = [columns[at - 1]?.[1] ?? -Infinity, columns[at + 1]?.[0] ?? Infinity]
    return x > left - least && x + width < right + least
  })
  if (columns.length !== heads.length || !isAbove) return null
  // More columns than headings are those of texts at the left above numbers at the right, where no line fills more.
  const most = Math.max(...other.lines.map((line) => filledIn(line, other.gaps)))
  const isLarger =
    heads.length > other.gaps.length + 1 ||
    end - start > other.lines.length ||
    (end - start === other.lines.length && heads.length < other.gaps.length + 1)
  if (!isLarger || heads.length < Math.min(most, other.gaps.length + 1)) return null
  const gaps = columns.slice(1).map((span, at): Span => [columns[at]?.[1] ?? span[0], span[0]])
  return { lines: lines.slice(start, lastLine(lines, start, end, gaps, rules)), gaps, heads }
}

/** How many of the columns between gaps have words of a line. */
const filledIn = ({ words }: Line, gaps: ReadonlyArray<Span>): number =>
  new Set(words.map(({ width, x }) => gaps.findLastIndex(([, to]) => x + width / 2 > to))).size

/** Whether a table that begins with a line ends before another: at a wide space, and where the type changes. */
const isEnd = (before: Line, line: Line, first: Line, rules: ReadonlyArray<LevelRule>): boolean => {
  const isRuled = rules.some(({ at }) => at > before.bottom - 2 && at < line.top + 2)
  if (line.top - before.bottom > (isRuled ? 3.5 : 2.2) * first.height) return true
  // Larger type is a heading; a list is no part of a table.
  if (line.height > 1.35 * first.height || line.height * 1.5 < first.height) return true
  return /^[•◦▪‣⁃]$/u.test(line.words[0]?.text ?? "")
}

/** The end of a table without the lines of the text after it, which stand in the first column alone. */
const lastLine = (
  lines: ReadonlyArray<Line>,
  start: number,
  from: number,
  gaps: ReadonlyArray<Span>,
  rules: ReadonlyArray<LevelRule>
): number => {
  let end = from
  const inFirst = ({ words }: Line) => (words.at(-1)?.x ?? 0) < (gaps[0]?.[0] ?? 0)
  while (end > start + 1) {
    const last = lines[end - 1]
    if (last === undefined || !inFirst(last)) break
    const isRuled = rules.some(
      ({ at, from: left, to }) =>
        at > last.bottom - 2 &&
        at < last.bottom + 2 * last.height &&
        to - left > (gaps.at(-1)?.[1] ?? 0) - left
    )
    if (isRuled) break
    end -= 1
  }
  return end
}

/** The lines of a table that begins with a line, and the gaps between its columns. */
const regionFrom = (lines: ReadonlyArray<Line>, start: number, rules: ReadonlyArray<LevelRule>): Region => {
  const first = lines[start]
  if (first === undefined) return { lines: [], gaps: [] }
  const least = tableGap * first.height
  let taken = takenWith([], first, least)
  let [end, gaps] = [start + 1, gapsOf(taken, [first])]
  while (end < lines.length) {
    const [before, line] = [lines[end - 1], lines[end]]
    if (before === undefined || line === undefined) break
    if (isEnd(before, line, first, rules)) break
    const nextTaken = takenWith(taken, line, least)
    const next = gapsOf(nextTaken, lines.slice(start, end + 1))
    const isKept = next.length >= gaps.length || (line.isParted && end - start < 2 && next.length > 0)
    if (!isKept) break
    taken = nextTaken
    gaps = next
    end += 1
  }
  end = lastLine(lines, start, end, gaps, rules)
  // A line far above others that stand close together is the header of the page, above its rule.
  const [one, two, three] = lines.slice(start, Math.min(end, start + 3))
  const isApart =
    one !== undefined &&
    two !== undefined &&
    three !== undefined &&
    two.bottom - one.bottom > 1.9 * (three.bottom - two.bottom)
  return isApart ? { lines: [], gaps: [] } : { lines: lines.slice(start, end), gaps }
}

const marker = /^(?:[•◦▪–—*·‣⁃]|[[(]?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)\]]|\[.{1,12}\])$/u
const numeric = /^[^\p{L}]*\p{Nd}[^\p{L}]*\p{L}{0,3}$/u

const tableOf = ({ gaps, heads, lines }: Region, rules: ReadonlyArray<LevelRule>): PdfTable | null => {
  if (gaps.length === 0) return null
  const rights = gaps.map(([from, to]) => (from + to) / 2)
  const box = boxAround(lines.flatMap(({ words }) => words))
  const em = lines[0]?.height ?? 0
  const cuts = rules
    .filter(({ from, to }) => to - from > 0.5 * box.width && from < box.x + box.width && to > box.x)
    .map(({ at }) => at)
    .filter((at) => at > box.y - em && at < box.y + box.height + em)
  const cells = lines.map(({ words }, at) => {
    if (at === 0 && heads !== undefined) return heads
    const row: Array<Array<PdfWord>> = Array.from({ length: gaps.length + 1 }, () => [])
    for (const word of words) {
      const column = rights.findIndex((right) => word.x + word.width / 2 < right)
      row[column < 0 ? gaps.length : column]?.push(word)
    }
    return row
  })
  const rows = joinedRows(heads === undefined ? withoutHalves(cells) : cells, cuts)
  const texts = rows.map((row) => row.map((cell) => linesText(cell)))
  return isTable(texts, new Set(cuts.map(Math.round)).size) || isKeyed(rows, texts, cuts.length > 0)
    ? { ...box, rows: texts, words: new Set(lines.flatMap(({ words }) => words)) }
    : null
}

/** Columns whose header stands at one side and whose numbers at the other are one: no line has words in both. */
const withoutHalves = (
  lines: ReadonlyArray<ReadonlyArray<PdfTextLine>>
): ReadonlyArray<ReadonlyArray<PdfTextLine>> => {
  const count = lines[0]?.length ?? 0
  for (let at = 0; at + 1 < count; at++) {
    const pairs = lines.map((line) => [line[at] ?? [], line[at + 1] ?? []] as const)
    if (pairs.some(([left, right]) => left.length > 0 && right.length > 0)) continue
    return withoutHalves(
      lines.map((line, row) => [...line.slice(0, at), pairs[row]?.flat() ?? [], ...line.slice(at + 2)])
    )
  }
  return lines
}

/** Whether texts in columns are a table and no prose, list, table of contents or letterhead. */
const isTable = (rows: ReadonlyArray<ReadonlyArray<string>>, rules: number): boolean => {
  const columns = rows[0]?.length ?? 0
  const cells = rows.flat().filter((cell) => cell !== "")
  if (rows.length < 2 || cells.some((cell) => /\.{4,}|(?:\. ){3,}|…{2,}/.test(cell))) return false
  // As many empty cells as filled ones are words that stand somewhere on the page.
  if (cells.length < rows.length * columns * 0.45) return false
  const wordsOf = (column: number): number => {
    const filled = rows.slice(1).flatMap((row) => ((row[column] ?? "") === "" ? [] : [row[column] ?? ""]))
    return filled.reduce((sum, cell) => sum + cell.split(" ").length, 0) / Math.max(1, filled.length)
  }
  const long = Array.from({ length: columns }, (_, column) => wordsOf(column)).filter((mean) => mean > 7)
  const isList = rows.filter(([first = ""]) => marker.test(first)).length * 2 > rows.length
  if (isList) return false
  const isRuled = rules >= 2
  if (long.length > (isRuled ? 2 : 0)) return false
  if (isRuled) return rows.length > 1
  const numbers = cells.filter((cell) => numeric.test(cell)).length
  if (columns === 2) {
    const second = rows.slice(1).map((row) => row[1] ?? "")
    return rows.length > 2 && second.filter((cell) => numeric.test(cell)).length * 5 > second.length * 3
  }
  return numbers > 0 ? rows.length > 1 : rows.length > 2
}

/** Whether two columns of texts, which begin at the same two places in each row, are keys and what they stand for. */
const isKeyed = (
  rows: ReadonlyArray<ReadonlyArray<ReadonlyArray<PdfTextLine>>>,
  texts: ReadonlyArray<ReadonlyArray<string>>,
  hasRule: boolean
): boolean => {
  if (rows.length < 3 || rows[0]?.length !== 2) return false
  const isAligned = [0, 1].every((column) => {
    const starts = rows.map((row) => row[column]?.[0]?.[0]?.x ?? Number.NaN)
    return Math.max(...starts) - Math.min(...starts) < 1.5
  })
  const keys = texts.slice(1).map(([key = ""]) => key)
  const isList = texts.some(
    ([key = "", text = ""]) => marker.test(key) || /\.{4,}|(?:\. ){3,}|…{2,}/.test(text)
  )
  const isShort = keys.every((key) => key.split(" ").length <= 3)
  const isCoded = keys.every((key) => /^\p{L}[\p{L}\p{N}./_-]*\p{Nd}[\p{L}\p{N}./_-]*$/u.test(key))
  return isAligned && !isList && isShort && (hasRule || isCoded)
}

/** Lines of cells as rows of cells. A line that goes on with the text of the line above belongs to its row. */
const joinedRows = (
  lines: ReadonlyArray<ReadonlyArray<PdfTextLine>>,
  cuts: ReadonlyArray<number>
): ReadonlyArray<ReadonlyArray<ReadonlyArray<PdfTextLine>>> => {
  const columns = lines[0]?.length ?? 0
  const rightOf = Array.from({ length: columns }, (_, column) =>
    Math.max(0, ...lines.flatMap((line) => (line[column] ?? []).map(({ width, x }) => x + width)))
  )
  const boxes = lines.map((line) => boxAround(line.flat()))
  const pitches = boxes
    .slice(1)
    .map((box, at) => box.y + box.height - (boxes[at]?.y ?? 0) - (boxes[at]?.height ?? 0))
  const least = Math.min(...pitches)
  const rows: Array<Array<Array<PdfTextLine>>> = []
  for (const [at, line] of lines.entries()) {
    const [above, box] = [boxes[at - 1], boxes[at]]
    const before = lines[at - 1]
    const last = rows.at(-1)
    const goesOn =
      last !== undefined &&
      before !== undefined &&
      above !== undefined &&
      box !== undefined &&
      !cuts.some((cut) => cut > above.y + above.height / 2 && cut < box.y + box.height / 2) &&
      (pitches[at - 1] ?? 0) < 1.2 * least &&
      (pitches[at - 1] ?? 0) < 1.45 * lineEm(line.flat()) &&
      goesOnWith(before, line, rightOf, cuts.length > 3)
    if (goesOn) for (const [column, words] of line.entries()) words.length > 0 && last[column]?.push(words)
    else rows.push(line.map((words) => (words.length === 0 ? [] : [words])))
  }
  return rows
}

/** Whether the words of a line go on with cells of the line above, which had no room for the next word. */
const goesOnWith = (
  before: ReadonlyArray<PdfTextLine>,
  line: ReadonlyArray<PdfTextLine>,
  rightOf: ReadonlyArray<number>,
  hasCuts: boolean
): boolean => {
  let isText = false
  for (const [column, words] of line.entries()) {
    const [first] = words
    const above = before[column] ?? []
    const last = above.at(-1)
    if (first === undefined) continue
    if (last === undefined) {
      // A first column without text is no new row when the others go on.
      if (column === 0) return false
      continue
    }
    const [own, over] = [words, above].map((cell) => cell.map(({ text }) => text).join(" "))
    const isFull = last.x + last.width + 0.25 * last.height + first.width > (rightOf[column] ?? 0)
    const isWrapped =
      isFull &&
      // A number that a sentence ends with is no row where rules part the rows.
      (hasCuts || !numeric.test(own ?? "")) &&
      !numeric.test(over ?? "") &&
      (above.length > 1 || /^\p{Ll}/u.test(first.text))
    if (!isWrapped) return false
    isText = true
  }
  // A cell that begins in lower case continues the line above; a line without such a cell is a row.
  return (
    isText && ((line[0] ?? []).length === 0 || line.some(([first]) => /^\p{Ll}/u.test(first?.text ?? "")))
  )
}

/** The rows of cells between two rules, where each line of them is a row; null where their lines are those of texts. */
export const rowsOfBand = (
  cells: ReadonlyArray<ReadonlyArray<PdfWord>>,
  rights: ReadonlyArray<number>
): ReadonlyArray<ReadonlyArray<string>> | null => {
  const lines = textLines(cells.flat())
  if (lines.length < 2) return null
  const columns = lines.map((line) =>
    rights.map((right, at) =>
      line.filter(({ width, x }) => x + width / 2 < right && x + width / 2 >= (rights[at - 1] ?? -Infinity))
    )
  )
  const rows = joinedRows(columns, [])
  const isNumbered = rows.filter((row) => row.some((cell) => numeric.test(linesText(cell)))).length
  return rows.length > 2 &&
    isNumbered * 2 > rows.length &&
    rows.every((row) => row.filter((cell) => cell.length > 0).length > 1)
    ? rows.map((row) => row.map((cell) => linesText(cell)))
    : null
}
