import type TurndownService from "turndown"
import { elementOf, type HtmlElement, type HtmlNode, selectAll } from "./dom.js"
import { markdownCell, markdownTable } from "./table.js"
import { hasHeadings } from "./table-headings.js"

/** Marks a table whose cells may hold tables; in pages of the web such a table is layout. */
export const dataTable = "data-cells"

/** Tables become GitHub tables; those of one column, and those that hold tables, are layout and become text. */
export const addTables = (service: TurndownService): void => {
  const contents = new Map<HtmlNode, string>()
  service.addRule("tableCell", {
    filter: ["td", "th"],
    replacement: (content, node) => {
      contents.set(elementOf(node), content.trim())
      return `\n\n${content}\n\n`
    }
  })
  service.addRule("tableCaption", {
    filter: ["caption"],
    replacement: (content) => `\n\n${content.trim()}\n\n`
  })
  service.addRule("table", {
    filter: ["table"],
    replacement: (content, node) => {
      const table = elementOf(node)
      const isLayout =
        (selectAll(table, "table").length > 0 && !isOuter(table)) ||
        table.getAttribute("role")?.toLowerCase() === "presentation"
      const rows = isLayout ? [] : rowsOf(table, contents)
      if (isInner(table))
        return `\n\n${rows.map((row) => row.filter((cell) => cell !== "").join(row.length === 2 ? ": " : ", ")).join("; ")}\n\n`
      if (Math.max(0, ...rows.map((row) => row.length)) < 2) return `\n\n${content}\n\n`
      const caption = (selectAll(table, "caption")[0]?.textContent ?? "").replace(/\s+/g, " ").trim()
      return `\n\n${caption === "" ? "" : `${caption}\n\n`}${markdownTable(rows, isHeaded(table, rows))}\n\n`
    }
  })
}

/**
 * Whether the first row of a table names its columns: by its marks, else by its texts. A cell that is marked as the heading
 * of its row alone marks no columns.
 */
const isHeaded = (table: HtmlElement, rows: ReadonlyArray<ReadonlyArray<string>>): boolean => {
  const cellsOf = (row: HtmlElement) =>
    Array.from(row.children, ({ nodeName }) => nodeName).filter((name) => name === "TH" || name === "TD")
  const own = ownRows(table).map(cellsOf)
  if (ownRows(table, "thead tr").length > 0 || own[0]?.every((name) => name === "TH") === true) return true
  const isByRow =
    own.length > 1 && own.every(([first, ...rest]) => first === "TH" && rest.every((name) => name === "TD"))
  return !isByRow && hasHeadings(rows)
}

const spanMax = 100
/** Rows of headings that are joined to one. */
const headsMax = 4
/**
 * Cells of a table that are there only because others span them, at most. Some kilobytes of HTML can ask for a hundred
 * million; in a table that asks for more than this each cell takes one place.
 */
const spannedMax = 100_000
/** Rows of a table that are written within a cell of another. */
const innerRowsMax = 12

const tableAbove = (node: HtmlNode): HtmlElement | null => {
  let above = node.parentNode
  while (above !== null && above.nodeName !== "TABLE") above = above.parentNode
  return above
}

const ownRows = (table: HtmlElement, selector = "tr"): ReadonlyArray<HtmlElement> =>
  selectAll(table, selector).filter((row) => tableAbove(row) === table)

/** Whether a table has rows and columns of its own, and small tables in some of its cells. */
const isOuter = (table: HtmlElement): boolean =>
  table.hasAttribute(dataTable) &&
  ownRows(table).length > 1 &&
  ownRows(table).some(({ children }) => children.length > 1) &&
  selectAll(table, "table").every((inner) => selectAll(inner, "tr").length <= innerRowsMax)

const isInner = (table: HtmlElement): boolean => {
  const above = tableAbove(table)
  return above !== null && isOuter(above)
}

/** The cells of a table as a grid: a cell that spans rows or columns stands in its first place, the others are empty. */
const rowsOf = (table: HtmlElement, contents: ReadonlyMap<HtmlNode, string>): Array<Array<string>> => {
  const grid: Array<Array<string>> = []
  const head = ownRows(table, "thead tr")
  const rest = ownRows(table).filter((row) => !head.includes(row))
  const rows = [...head, ...rest].map((row) =>
    Array.from(row.children).filter(({ nodeName }) => nodeName === "TD" || nodeName === "TH")
  )
  const spansOf = (cell: HtmlElement, at: number) =>
    [spanOf(cell, "colspan"), Math.min(spanOf(cell, "rowspan"), rows.length - at)] as const
  const spanned = rows.reduce(
    (sum, cells, at) =>
      cells.reduce((sumOfRow, cell) => {
        const [across, down] = spansOf(cell, at)
        return sumOfRow + across * down - 1
      }, sum),
    0
  )
  const marked = rows.findIndex((cells) => cells.some(({ nodeName }) => nodeName !== "TH"))
  // Several rows of headings are one; a row of one cell is a title.
  const heads =
    marked > 1 && marked <= headsMax && rows.slice(0, marked).every(({ length }) => length > 1) ? marked : 0
  for (const [at, cells] of rows.entries()) {
    let column = 0
    for (const cell of cells) {
      while (grid[at]?.[column] !== undefined) column += 1
      const [across, down] = spanned > spannedMax ? [1, 1] : spansOf(cell, at)
      for (let y = 0; y < down; y++)
        for (let x = 0; x < across; x++) {
          const line = grid[at + y] ?? []
          grid[at + y] = line
          // A heading stands above all columns that it spans.
          line[column + x] =
            (x === 0 && y === 0) || at + y < heads ? markdownCell(contents.get(cell) ?? "") : ""
        }
      column += across
    }
  }
  const lines = grid.map((row) => Array.from(row ?? [], (cell) => cell ?? ""))
  return [...withOneHead(lines.slice(0, heads)), ...lines.slice(heads)].filter((row) =>
    row.some((cell) => cell !== "")
  )
}

/** Rows of headings as one: `2024 In`, `2024 Out`. */
const withOneHead = (heads: ReadonlyArray<ReadonlyArray<string>>): Array<Array<string>> =>
  heads.length === 0
    ? []
    : [
        Array.from({ length: Math.max(...heads.map(({ length }) => length)) }, (_, column) =>
          [...new Set(heads.map((row) => row[column] ?? ""))].filter((text) => text !== "").join(" ")
        )
      ]

const spanOf = (cell: HtmlElement, name: string): number => {
  const span = Number.parseInt(cell.getAttribute(name) ?? "1", 10)
  return Number.isNaN(span) ? 1 : Math.min(spanMax, Math.max(1, span))
}
