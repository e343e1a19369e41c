import { stripVTControlCharacters } from "node:util"
import type { Indexing } from "../../core/files/documents/index.js"

/** One line while new files are still being taken in. */
export const indexingLine = ({ done, total }: Indexing): string =>
  total === 0
    ? "New files are still being taken in."
    : `New files are still being taken in: ${done} of ${total} can be found.`

/**
 * Makes text from other people safe for the terminal: removes escape sequences, control characters except line ends
 * (tabs become blanks), and the characters that change the direction of writing. A document can thus neither imitate
 * messages of Kanon nor control the terminal.
 */
export const clean = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, "\n")
    .replace(/\t/g, "  ")
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, "")
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu, "")
    .toWellFormed()

/** Returns a name for use in a sentence: a blank name is quoted. */
export const named = (name: string): string => (name.trim() === "" ? `'${name}'` : name)

/** The same in one line: every run of white space is one blank. */
export const cleanLine = (text: string): string => clean(text).replace(/\s+/g, " ").trim()

/** Made when it is first needed: that takes its time. */
let segmenter: Intl.Segmenter | undefined
/** So much is cut at once: each step looks at all of what is being cut. */
const pieceUnits = 512

const segmentsOf = (text: string): Intl.Segments => {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" })
  return segmenter.segment(text)
}

/** The characters of a text as people count them, in time that grows with its length. */
export function* graphemesOf(text: string): Generator<string> {
  let from = 0
  let units = pieceUnits
  while (from < text.length) {
    // Half of a character would be one of its own.
    const isInside = /[\ud800-\udbff]/.test(text.charAt(from + units - 1))
    const end = from + units + (isInside ? 1 : 0)
    const segments = Array.from(segmentsOf(text.slice(from, end)), ({ segment }) => segment)
    // The last one may go on behind the piece; where a cut falls depends on nothing before another cut.
    if (end < text.length) segments.pop()
    yield* segments
    const read = segments.reduce((sum, segment) => sum + segment.length, 0)
    units = read === 0 ? units * 2 : pieceUnits
    from += read
  }
}

/** Scripts and symbols that take two columns (East Asian Wide and Fullwidth, emoji). */
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Yi}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\ufe0f/u
const invisible = /^[\p{M}\p{Cf}]+$/u

/** Columns that a text without control characters takes on a terminal; colours do not count. */
export const columnsOf = (text: string): number => {
  const plain = stripVTControlCharacters(text)
  if (/^[\u0020-\u007e]*$/.test(plain)) return plain.length
  let columns = 0
  for (const segment of graphemesOf(plain)) {
    columns += wide.test(segment) ? 2 : invisible.test(segment) ? 0 : 1
  }
  return columns
}

/** Cuts a text to the columns, with `…` in place of the rest. */
const fit = (text: string, columns: number): string => {
  if (columnsOf(text) <= columns) return text
  let [kept, used] = ["", 1]
  for (const segment of graphemesOf(text)) {
    used += columnsOf(segment)
    if (used > columns) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}

/**
 * Breaks a text into lines of at most `columns`, at blanks where there are some, else between characters
 * (a long address, a script without blanks). Line ends of the text stay. Every line gets `indent` in front,
 * which counts. Colours must be put on afterwards.
 */
export const wrap = (text: string, columns: number, indent = ""): string => {
  const room = Math.max(columns - columnsOf(indent), 10)
  return text
    .split("\n")
    .flatMap((paragraph) => wrapParagraph(paragraph, room))
    .map((line) => (line === "" ? "" : indent + line))
    .join("\n")
}

const wrapParagraph = (paragraph: string, room: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let [line, used] = ["", 0]
  const flush = (): void => {
    lines.push(line.trimEnd())
    line = ""
    used = 0
  }
  for (const word of paragraph.split(/(?<= )(?! )/)) {
    const columns = columnsOf(word.trimEnd())
    if (used > 0 && used + columns > room && columns <= room) flush()
    if (columns <= room) {
      line += word
      used += columnsOf(word)
      continue
    }
    for (const segment of graphemesOf(word)) {
      const step = columnsOf(segment)
      if (used + step > room) flush()
      line += segment
      used += step
    }
  }
  flush()
  return lines
}

/** A count with its noun: `1 document`, `3 documents`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`

/** A column of a table; `shrink` marks those that give way when the terminal is narrow. */
export interface Column {
  readonly title: string
  readonly align?: "right"
  readonly shrink?: boolean
}

/**
 * A table of one line a row, two blanks between columns. Cells hold plain cleaned lines; `paint` colours a
 * whole padded cell. Where the columns do not fit, those that may shrink share what is left.
 */
export const table = (
  columns: ReadonlyArray<Column>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  width: number,
  paint: (cell: string, column: number, isTitle: boolean) => string
): string => {
  const natural = columns.map((column, index) =>
    Math.max(columnsOf(column.title), ...rows.map((row) => columnsOf(row[index] ?? "")))
  )
  const widths = shrink(columns, natural, width - 2 * (columns.length - 1))
  const line = (cells: ReadonlyArray<string>, isTitle: boolean): string =>
    columns
      .map((column, index) => {
        const room = widths[index] ?? 0
        const cell = fit(cells[index] ?? "", room)
        const gap = " ".repeat(Math.max(room - columnsOf(cell), 0))
        return paint(column.align === "right" ? gap + cell : cell + gap, index, isTitle)
      })
      .join("  ")
      .trimEnd()
  return [
    line(
      columns.map(({ title }) => title),
      true
    ),
    ...rows.map((row) => line(row, false))
  ].join("\n")
}

const shrink = (
  columns: ReadonlyArray<Column>,
  natural: ReadonlyArray<number>,
  room: number
): ReadonlyArray<number> => {
  const least = 12
  let excess = natural.reduce((sum, one) => sum + one, 0) - room
  const widths = [...natural]
  while (excess > 0) {
    // Take from the widest of those that may give way, so that short columns stay whole.
    const candidates = widths.map((one, index) => (columns[index]?.shrink === true && one > least ? one : 0))
    const widest = Math.max(...candidates)
    if (widest === 0) break
    const index = candidates.indexOf(widest)
    const second = Math.max(least, ...candidates.filter((_, other) => other !== index))
    const cut = Math.min(excess, Math.max(1, widest - second))
    widths[index] = widest - cut
    excess -= cut
  }
  return widths
}

/** Ids that are named of many. */
const namedMax = 5

/** How many of a kind there are, with the first of them: `7 topics (q1, q2, q3, q4, q5, …)`. */
export const namedSome = (kind: string, ids: ReadonlyArray<string>): string => {
  const first = ids.slice(0, namedMax).map((id) => cleanLine(id))
  return `${counted(ids.length, kind)} (${first.join(", ")}${ids.length > namedMax ? ", …" : ""})`
}
