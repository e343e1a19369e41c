import type { RunPair } from "../../core/work/evaluation/index.js"

/** A row of a table of runs. */
export interface BenchRow {
  readonly name: string
  readonly values: Readonly<Record<string, number>>
  /** Runs that share a letter cannot be told apart on the main metric. */
  readonly group: string
}

/** The runs of a bench, and what their comparisons came to. */
export interface BenchTable {
  readonly rows: ReadonlyArray<BenchRow>
  readonly pairs: ReadonlyArray<RunPair>
  /** The metric that is compared. */
  readonly main: string
}

/** A table of runs with the comparisons of every two of them. */
export const benchTable = (
  rows: ReadonlyArray<BenchRow>,
  pairs: ReadonlyArray<RunPair>,
  main: string
): BenchTable => ({ rows, pairs, main })

const shown = (value: number | undefined): string => (value ?? 0).toFixed(4)
const metricsOf = (rows: ReadonlyArray<BenchRow>): ReadonlyArray<string> => Object.keys(rows[0]?.values ?? {})

/** Columns of a comparison: difference, its 95 % interval (bootstrap), p, and p after Holm's correction. */
const columns = ["difference", "interval low", "interval high", "p", "p corrected"]
const figuresOf = ({ adjusted, bootstrap: [low, high], meanDiff, randomisation: { p } }: RunPair) => [
  meanDiff,
  low,
  high,
  p,
  adjusted
]

const markdown = (names: ReadonlyArray<string>, right: number, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  [
    `| ${names.join(" | ")} |`,
    `|${names.map((_, at) => (at < names.length - right || right === 0 ? "---" : "---:")).join("|")}|`,
    ...rows.map((row) => `| ${row.join(" | ")} |`)
  ]
    .join("\n")
    .concat("\n")

export const markdownTable = ({ main, pairs, rows }: BenchTable): string => {
  const metrics = metricsOf(rows)
  const runs = [
    `| run | ${metrics.join(" | ")} | group |`,
    `|---|${metrics.map(() => "---:").join("|")}|---|`,
    ...rows.map(
      ({ group, name, values }) =>
        `| ${name} | ${metrics.map((metric) => shown(values[metric])).join(" | ")} | ${group} |`
    )
  ]
    .join("\n")
    .concat("\n")
  if (pairs.length === 0) return runs
  const compared = markdown(
    ["baseline", "run", ...columns],
    columns.length,
    pairs.map((pair) => [pair.baseline, pair.run, ...figuresOf(pair).map(shown)])
  )
  return `${runs}\nDifferences in ${main}, with 95 % intervals:\n\n${compared}`
}

const quoted = (text: string): string => (/[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** One line for each run; it is compared with the first one. */
export const csvTable = ({ main, pairs, rows }: BenchTable): string => {
  const metrics = metricsOf(rows)
  const [first] = rows
  return [
    ["run", ...metrics, "group", ...columns.map((column) => quoted(`${main} ${column}`))].join(","),
    ...rows.map(({ group, name, values }) => {
      const pair = pairs.find(({ baseline, run }) => baseline === first?.name && run === name)
      const figures = pair === undefined ? columns.map(() => "") : figuresOf(pair).map(String)
      return [quoted(name), ...metrics.map((metric) => String(values[metric] ?? 0)), group, ...figures].join(
        ","
      )
    })
  ]
    .join("\n")
    .concat("\n")
}

const escaped = (text: string): string => text.replace(/[&%$#_{}]/gu, "\\$&")

export const latexTable = ({ pairs, rows }: BenchTable): string => {
  const metrics = metricsOf(rows)
  const tabular = (
    left: number,
    head: ReadonlyArray<string>,
    lines: ReadonlyArray<ReadonlyArray<string>>
  ) => [
    `\\begin{tabular}{${"l".repeat(left)}${"r".repeat(head.length - left)}}`,
    "\\hline",
    `${head.map(escaped).join(" & ")} \\\\`,
    "\\hline",
    ...lines.map((line) => `${line.join(" & ")} \\\\`),
    "\\hline",
    "\\end{tabular}"
  ]
  return [
    ...tabular(
      1,
      ["run", ...metrics],
      rows.map(({ group, name, values }) => [
        `${escaped(name)}$^{${group}}$`,
        ...metrics.map((metric) => shown(values[metric]))
      ])
    ),
    ...(pairs.length === 0
      ? []
      : tabular(
          2,
          ["baseline", "run", ...columns],
          pairs.map((pair) => [escaped(pair.baseline), escaped(pair.run), ...figuresOf(pair).map(shown)])
        ))
  ]
    .join("\n")
    .concat("\n")
}

/** The metrics of every topic of every run. */
export const topicsTable = (
  metrics: ReadonlyArray<string>,
  runs: ReadonlyMap<string, ReadonlyMap<string, Readonly<Record<string, number>>>>
): string =>
  [
    ["run", "topic", ...metrics].join(","),
    ...[...runs].flatMap(([run, topics]) =>
      [...topics].map(([topic, values]) =>
        [quoted(run), quoted(topic), ...metrics.map((metric) => String(values[metric] ?? 0))].join(",")
      )
    )
  ]
    .join("\n")
    .concat("\n")
