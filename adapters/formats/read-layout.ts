import type { ReadLine, ReadWord } from "./page-reader.js"

/** Markdown of the lines of a page: paragraphs by block, and tables where rows have the same columns. */
export const readMarkdown = (lines: ReadonlyArray<ReadLine>): string => {
  const rows = rowsOf(lines.filter(({ words }) => words.length > 0))
  const parts: Array<string> = []
  let prose: Array<ReadLine> = []
  const endProse = () => {
    if (prose.length > 0) parts.push(paragraphs(prose))
    prose = []
  }
  for (let at = 0; at < rows.length; ) {
    const table = tableFrom(rows, at)
    if (table.length < 2) {
      prose.push(...(rows[at]?.lines ?? []))
      at += 1
      continue
    }
    endProse()
    const line = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`
    const [head = [], ...body] = table
    parts.push([line(head), line(head.map(() => "---")), ...body.map(line)].join("\n"))
    at += table.length
  }
  endProse()
  return parts.join("\n\n")
}

interface Row {
  readonly lines: ReadonlyArray<ReadLine>
  readonly cells: ReadonlyArray<ReadonlyArray<ReadWord>>
}

const leftOf = (words: ReadonlyArray<ReadWord>) => words[0]?.left ?? 0
const textOf = (words: ReadonlyArray<ReadWord>) => escaped(words.map(({ text }) => text).join(" "))

/** Lines side by side as one row where each is short, as cells are; the columns of a text stay apart. */
const rowsOf = (lines: ReadonlyArray<ReadLine>): ReadonlyArray<Row> => {
  const placed = new Set<ReadLine>()
  return lines.flatMap((line) => {
    if (placed.has(line)) return []
    const beside = lines.filter(
      (other) =>
        other === line || (!placed.has(other) && isShort(other) && isShort(line) && areBeside(line, other))
    )
    for (const one of beside) placed.add(one)
    const words = beside.flatMap((one) => one.words).sort((a, b) => a.left - b.left)
    return [{ lines: beside, cells: cellsOf(words) }]
  })
}

const cellWordsMax = 6
const isShort = ({ words }: ReadLine) => cellsOf(words).every((cell) => cell.length <= cellWordsMax)

const middle = ({ words }: ReadLine) =>
  words.reduce((sum, { bottom, top }) => sum + top + bottom, 0) / (2 * words.length)
const heightOf = (words: ReadonlyArray<ReadWord>) => Math.max(...words.map(({ bottom, top }) => bottom - top))
const areBeside = (a: ReadLine, b: ReadLine) =>
  Math.abs(middle(a) - middle(b)) < Math.min(heightOf(a.words), heightOf(b.words)) / 2

/** Words with more than about two letters of blank between them stand in cells of their own. */
const cellsOf = (words: ReadonlyArray<ReadWord>): ReadonlyArray<ReadonlyArray<ReadWord>> => {
  const gap = words.length === 0 ? 0 : heightOf(words) * 1.2
  const cells: Array<Array<ReadWord>> = []
  for (const [at, word] of words.entries()) {
    const before = words[at - 1]
    if (before === undefined || word.left - before.right > gap) cells.push([word])
    else cells.at(-1)?.push(word)
  }
  return cells
}

/** The rows of a table that begins at a row: the same number of cells, each over or under the cell of its column. */
const tableFrom = (rows: ReadonlyArray<Row>, start: number): ReadonlyArray<ReadonlyArray<string>> => {
  const first = rows[start]?.cells ?? []
  if (first.length < 2) return []
  const table: Array<ReadonlyArray<string>> = []
  for (const { cells } of rows.slice(start)) {
    const fits =
      cells.length === first.length &&
      cells.every((cell, at) => cell.length <= cellWordsMax && overlap(cell, first[at] ?? []))
    if (!fits) break
    table.push(cells.map((cell) => textOf(cell).replaceAll("|", "\\|")))
  }
  return table
}

const overlap = (a: ReadonlyArray<ReadWord>, b: ReadonlyArray<ReadWord>) =>
  leftOf(a) <= (b.at(-1)?.right ?? 0) && leftOf(b) <= (a.at(-1)?.right ?? 0)

const paragraphs = (lines: ReadonlyArray<ReadLine>): string =>
  lines
    .map((line, at) => {
      const before = lines[at - 1]
      const separator = before === undefined ? "" : before.block === line.block ? "\n" : "\n\n"
      return separator + textOf(line.words)
    })
    .join("")

/** Escapes the characters that Markdown would read as markup. */
const escaped = (text: string): string =>
  text
    .replace(/[\\`*_[\]<~]/g, "\\$&")
    .replace(/^(?=[#>+-]|\d+[.)]\s)/, "\\")
    .replace(/^\\(\d+)([.)])/, "$1\\$2")
