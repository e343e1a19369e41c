import { withoutControls } from "../../platform/kernel/index.js"
import type { Report, ReportSection } from "./report-model.js"

type Cell = string | number | null

/** A report as Markdown: summary, tables and the coverage matrix. */
export const reportMarkdown = (report: Report): string =>
  [
    `# ${withoutControls(report.title)}`,
    `Report on ${report.kind}, generated at ${report.generatedAt}${report.status === "archived" ? " (archived)" : ""}.`,
    report.summary.highlights.map((line) => `- ${withoutControls(line)}`).join("\n"),
    table(["figure", "value"], numbersOf(report)),
    ...[...report.sections, matrixSection(report)].flatMap(({ columns, rows, title }) => [
      `## ${withoutControls(title)}`,
      rows.length === 0 ? "None." : table(columns, rows)
    ])
  ]
    .join("\n\n")
    .concat("\n")

const table = (columns: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<Cell>>): string =>
  [
    `| ${columns.map(inCell).join(" | ")} |`,
    `|${columns.map(() => "---").join("|")}|`,
    ...rows.map((row) => `| ${row.map(inCell).join(" | ")} |`)
  ].join("\n")

const inCell = (value: Cell): string =>
  withoutControls(String(value ?? ""))
    .replace(/\s+/gu, " ")
    .replaceAll("\\", "\\\\")
    .replaceAll("|", "\\|")
    .replaceAll("<", "&lt;")

const numbersOf = ({ summary }: Report): ReadonlyArray<ReadonlyArray<Cell>> =>
  Object.entries(summary).flatMap(([name, value]) => (typeof value === "number" ? [[name, value]] : []))

/** The coverage matrix as a table: documents and, in brackets, mentions. */
const matrixSection = ({ coverage: { cells, columns, rows } }: Report): ReportSection => {
  const cellAt = new Map(cells.map((cell) => [`${cell.row}\n${cell.column}`, cell]))
  return {
    id: "coverage",
    title: "Coverage: documents (mentions)",
    columns: ["concept", ...columns.map(({ label }) => label)],
    rows: rows.map(({ id, label }) => [
      label,
      ...columns.map((column) => {
        const cell = cellAt.get(`${id}\n${column.id}`)
        return cell === undefined ? "" : `${cell.documents} (${cell.mentions})`
      })
    ])
  }
}

/** A report as one HTML page without scripts or outside resources, ready to print; numbers are drawn as bars. */
export const reportHtml = (report: Report): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(report.title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escaped(report.title)}</h1>
<p class="meta">Report on ${report.kind}, generated at ${report.generatedAt}${report.status === "archived" ? " (archived)" : ""}</p>
<ul>${report.summary.highlights.map((line) => `<li>${escaped(line)}</li>`).join("")}</ul>
<dl>${numbersOf(report)
  .map(([name, value]) => `<div><dt>${escaped(String(name))}</dt><dd>${value}</dd></div>`)
  .join("")}</dl>
${report.sections.map(sectionHtml).join("\n")}
${matrixHtml(report)}
</body>
</html>
`

const style = `:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem;margin:0}h2{font-size:1.15rem;margin:2rem 0 .5rem}.meta{color:#777;margin:.2rem 0 1rem}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(10rem,1fr));gap:.5rem}dl div{border:1px solid #8884;padding:.5rem;border-radius:4px}
dt{font-size:.8rem;color:#777}dd{margin:0;font-size:1.3rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .5rem;border-bottom:1px solid #8884;vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
svg.bar{display:block;width:6rem;height:.5rem;margin-left:auto}svg.bar rect{fill:#3b7dd8}td.heat{background:color-mix(in srgb,#3b7dd8 var(--share),transparent)}
@media print{body{margin:0;max-width:none}h2{break-after:avoid}tr{break-inside:avoid}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}`

const sectionHtml = ({ columns, rows, title }: ReportSection): string => {
  if (rows.length === 0) return `<h2>${escaped(title)}</h2><p>None.</p>`
  const isNumber = columns.map((_, at) => rows.every((row) => typeof row[at] === "number"))
  const largest = columns.map((_, at) => Math.max(0, ...rows.map((row) => Number(row[at] ?? 0) || 0)))
  const cell = (value: Cell, at: number): string =>
    isNumber[at] === true
      ? `<td class="n">${value}${bar(Number(value) / Math.max(1e-12, largest[at] ?? 0))}</td>`
      : `<td>${escaped(String(value ?? ""))}</td>`
  return `<h2>${escaped(title)}</h2>
<div class="scroll"><table><thead><tr>${columns
    .map((column, at) => `<th${isNumber[at] === true ? ' class="n"' : ""}>${escaped(column)}</th>`)
    .join("")}</tr></thead><tbody>
${rows.map((row) => `<tr>${row.map(cell).join("")}</tr>`).join("\n")}
</tbody></table></div>`
}

const bar = (share: number): string =>
  `<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width="${(100 * share).toFixed(1)}" height="8"/></svg>`

/** The coverage matrix as a heat map: the more documents, the darker. */
const matrixHtml = (report: Report): string => {
  const { cells, columns, rows } = report.coverage
  if (cells.length === 0) return `<h2>Coverage</h2><p>No entity is mentioned.</p>`
  const largest = Math.max(1, ...cells.map(({ documents }) => documents))
  const cellAt = new Map(cells.map((cell) => [`${cell.row}\n${cell.column}`, cell]))
  const heat = (row: string, column: string): string => {
    const cell = cellAt.get(`${row}\n${column}`)
    if (cell === undefined) return "<td></td>"
    const strength = Math.round((100 * cell.documents) / largest)
    return `<td class="n heat" style="--share:${strength}%" title="${cell.mentions} mentions">${cell.documents}</td>`
  }
  return `<h2>Coverage: documents by concept</h2>
<div class="scroll"><table><thead><tr><th></th>${columns.map(({ label }) => `<th class="n">${escaped(label)}</th>`).join("")}</tr></thead><tbody>
${rows
  .map(
    ({ id, label }) =>
      `<tr><th>${escaped(label)}</th>${columns.map((column) => heat(id, column.id)).join("")}</tr>`
  )
  .join("\n")}
</tbody></table></div>`
}

const escaped = (text: string): string =>
  withoutControls(text).replace(/[&<>"']/gu, (letter) => entities[letter] ?? letter)

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}
