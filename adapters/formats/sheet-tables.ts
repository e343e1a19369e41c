/** A cell as it is shown, and whether it is a number, a date or the like. */
export interface SheetCell {
  readonly text: string
  readonly isValue: boolean
  /** Whether it lies below a merged cell, whose text it repeats. */
  readonly isCovered?: boolean
}

/** A table of a sheet with the lines above it: titles, and what is said about the whole. The first row is its header. */
export interface SheetTable {
  readonly lines: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

type Row = ReadonlyArray<SheetCell | undefined>

/** Rows of a block that are looked at for its header. */
const headerRowsMax = 30

/**
 * The tables of a sheet. An empty row ends a table if what follows begins with a header of its own, or stands in other
 * columns; otherwise it is a gap within the table. The header of a table is its first row that is as wide as most and
 * holds no values; rows above it are lines of text.
 */
export const sheetTables = (sheet: ReadonlyArray<Row>): ReadonlyArray<SheetTable> => {
  const blocks: Array<Array<Row>> = []
  let isGap = true
  for (const row of sheet) {
    if (filledOf(row).length === 0) {
      isGap = true
      continue
    }
    if (isGap) blocks.push([])
    blocks.at(-1)?.push(row)
    isGap = false
  }
  const tables: Array<Array<Row>> = []
  for (const block of blocks) {
    const last = tables.at(-1)
    if (last === undefined || beginsAnew(last, block)) tables.push([...block])
    else for (const row of block) last.push(row)
  }
  return tables.flatMap(sideBySide).map(tableOf)
}

const filledOf = (row: Row): ReadonlyArray<number> =>
  row.flatMap((cell, column) => (isFilled(cell) ? [column] : []))

const isFilled = (cell: SheetCell | undefined): cell is SheetCell =>
  cell !== undefined && cell.text.trim() !== ""

/** Whether a row names columns: at least two cells, all of them different texts; a merged cell counts once. */
const isHeader = (row: Row | undefined): boolean => {
  const cells = (row ?? []).filter(isFilled).filter(({ isCovered }) => isCovered !== true)
  return (
    cells.length > 1 &&
    cells.every(({ isValue }) => !isValue) &&
    new Set(cells.map(({ text }) => text.trim().toLowerCase())).size === cells.length
  )
}

const hasValues = (row: Row): boolean => row.some((cell) => isFilled(cell) && cell.isValue)

const columnsOf = (rows: ReadonlyArray<Row>): ReadonlySet<number> => new Set(rows.flatMap(filledOf))

const beginsAnew = (above: ReadonlyArray<Row>, block: ReadonlyArray<Row>): boolean => {
  // A title, or lines about the table below them.
  if (above.every((row) => filledOf(row).length < 2)) return false
  const [before, after] = [columnsOf(above), columnsOf(block)]
  const isPreamble = above.length <= headerRowsMax && !above.some(isHeader) && before.size < after.size
  if (isPreamble) return false
  const [first, second] = block
  if (first === undefined) return false
  if (filledOf(first).length === 1 && isHeader(second)) return true
  const sameColumns = [...after].every((column) => before.has(column))
  if (!sameColumns) return isHeader(first)
  // Texts below values, or below texts where values follow.
  return isHeader(first) && block.length > 1 && (above.some(hasValues) || block.slice(1).some(hasValues))
    ? block.slice(1).some(hasValues) || before.size !== after.size
    : isHeader(first) && block.length > 1 && before.size !== after.size
}

/** Splits rows at empty columns if there are tables beside each other: each of two columns or more, with a header. */
const sideBySide = (rows: ReadonlyArray<Row>): ReadonlyArray<ReadonlyArray<Row>> => {
  const used = [...columnsOf(rows)].sort((a, b) => a - b)
  const groups: Array<Array<number>> = []
  for (const column of used) {
    const group = groups.at(-1)
    if (group !== undefined && group.at(-1) === column - 1) group.push(column)
    else groups.push([column])
  }
  if (groups.length < 2 || groups.some((group) => group.length < 2)) return [rows]
  const parts = groups.map(([first = 0, ...rest]) =>
    rows.map((row) => row.slice(first, (rest.at(-1) ?? first) + 1)).filter((row) => filledOf(row).length > 0)
  )
  const isTable = (part: ReadonlyArray<Row>): boolean => {
    const header = part.findIndex(isHeader)
    // A table of its own says in its first column what its rows are.
    return (
      header !== -1 &&
      part.length > header + 1 &&
      part.slice(header + 1).every(([first]) => isFilled(first) && !first.isValue)
    )
  }
  return parts.every(isTable) ? parts : [rows]
}

const tableOf = (rows: ReadonlyArray<Row>): SheetTable => {
  const header = headerOf(rows)
  const used = [...columnsOf(rows.slice(header))].sort((a, b) => a - b)
  const lines = rows.slice(0, header).map((row) => {
    const texts = row.filter(isFilled).map(({ text }) => text.trim())
    // A merged title stands in all columns that it covers.
    return [...new Set(texts)].join(" ")
  })
  const texts = rows.slice(header).map((row) => used.map((column) => row[column]?.text ?? ""))
  return { lines, rows: withOneHeader(texts, rows.slice(header, header + 2)) }
}

const headerOf = (rows: ReadonlyArray<Row>): number => {
  const first = rows.slice(0, headerRowsMax)
  const widths = rows.slice(0, 200).map(distinctOf)
  const typical = medianOf(widths.filter((width) => width > 1))
  const isWide = (row: Row) => distinctOf(row) > 1 && filledOf(row).length >= Math.max(2, typical * 0.6)
  const named = first.findIndex((row) => isWide(row) && !hasValues(row))
  const wide = first.findIndex(isWide)
  // A row of values above is data, unless a header follows so soon that it is about the table.
  if (
    named !== -1 &&
    (named === wide || wide === -1 || filledOf(rows[wide] ?? []).length < filledOf(rows[named] ?? []).length)
  )
    return named
  return Math.max(0, wide)
}

const distinctOf = (row: Row): number => new Set(row.filter(isFilled).map(({ text }) => text)).size

const medianOf = (numbers: ReadonlyArray<number>): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

/** Two header rows as one, where the first one spans columns of the second: `2025 Q1`. */
const withOneHeader = (
  texts: ReadonlyArray<ReadonlyArray<string>>,
  [top, below]: ReadonlyArray<Row>
): ReadonlyArray<ReadonlyArray<string>> => {
  const [first, second, ...rest] = texts
  if (first === undefined || second === undefined || top === undefined || below === undefined) return texts
  const repeats = first.some((text, at) => text !== "" && text === first[at - 1])
  if (!repeats || hasValues(below) || rest.length === 0) return texts
  return [
    first.map((text, at) => [...new Set([text, second[at] ?? ""])].filter((part) => part !== "").join(" ")),
    ...rest
  ]
}
