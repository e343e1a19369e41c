import { type BenchResult, meets } from "./result.js"

/** Table of one bench: a matrix for each metric over collections, a row for each other result. */
export interface Table {
  readonly title: string
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

/** The results of one bench as tables, the first row of each being its head. */
export const tablesOf = (results: ReadonlyArray<BenchResult>): ReadonlyArray<Table> => {
  const plain = results.filter(({ collection }) => collection === undefined)
  const metrics = [
    ...new Set(results.filter(({ collection }) => collection !== undefined).map(({ metric }) => metric))
  ]
  return [
    ...metrics.map((metric) =>
      matrix(
        metric,
        results.filter((result) => result.metric === metric)
      )
    ),
    ...(plain.length === 0 ? [] : [{ title: "", rows: [head, ...plain.map(rowOf)] }])
  ]
}

const head = ["metric", "ours", "floor", "unit", "ratio", "spread", "target", "n", "floor is"]

const rowOf = (result: BenchResult): ReadonlyArray<string> => [
  result.metric,
  figure(result.ours),
  result.floor === null ? "" : figure(result.floor),
  result.unit,
  result.ratio === null ? "" : figure(result.ratio),
  result.iqr === null ? "" : figure(result.iqr),
  result.target === undefined ? "" : `${result.target}${meets(result) === false ? " missed" : ""}`,
  String(result.n),
  result.peer
]

/**
 * Collections down, systems across; a peer's figure carries `!` where ours misses its target against it, and there
 * and on the means how likely chance alone makes such a difference.
 */
const matrix = (metric: string, results: ReadonlyArray<BenchResult>): Table => {
  const collections = [...new Set(results.map(({ collection = "" }) => collection))]
  const peers = [...new Set(results.map(({ peer }) => peer))]
  const cell = (collection: string, peer: string) =>
    results.find((result) => result.collection === collection && result.peer === peer)
  const rows = collections.map((collection) => {
    const first = results.find((result) => result.collection === collection)
    return [
      collection,
      String(first?.n ?? ""),
      first === undefined ? "" : first.ours.toFixed(3),
      ...peers.map((peer) => {
        const found = cell(collection, peer)
        if (found === undefined || found.floor === null) return ""
        const telling = isMean(collection) || meets(found) === false
        const p =
          telling && found.p !== undefined ? ` (p ${found.p < 0.001 ? "<.001" : found.p.toFixed(3)})` : ""
        return `${found.floor.toFixed(3)}${meets(found) === false ? "!" : ""}${p}`
      })
    ]
  })
  return { title: metric, rows: [["collection", "queries", "ours", ...peers], ...rows] }
}

const isMean = (collection: string): boolean => collection.startsWith("mean ")

/** Three digits or, of larger numbers, all before the point. */
const figure = (value: number): string => {
  if (Number.isInteger(value)) return String(value)
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3)
}

/** Tables as text in columns. */
export const plainTables = (tables: ReadonlyArray<Table>): string =>
  tables.map(({ rows, title }) => `${title === "" ? "" : `${title}\n`}${columns(rows)}`).join("\n\n")

const columns = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length))
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** Tables as Markdown. */
export const markdownTables = (tables: ReadonlyArray<Table>): string =>
  tables
    .map(({ rows, title }) => {
      const [first = [], ...rest] = rows
      const lines = [first, first.map(() => "---"), ...rest].map((row) => `| ${row.join(" | ")} |`)
      return `${title === "" ? "" : `**${title}**\n\n`}${lines.join("\n")}`
    })
    .join("\n\n")
